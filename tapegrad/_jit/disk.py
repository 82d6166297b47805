"""Files that are whole or not there: for machine code, which nobody may run when a bit of it is wrong, and for saved tapes."""
import contextlib
import hashlib
import os
import uuid


def write(path, content):
    """Writes bytes to a file in one step: whatever fails, as on a full disk, leaves what was there. OSError."""
    path = os.path.realpath(path)
    temporary = f"{path}.{uuid.uuid4().hex[:12]}.tmp"    # beside it, since a step goes within one file system
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if getattr(error, "filename", None) == temporary:
            error.filename, error.filename2 = path, None
        raise


def sealed(content):
    """Bytes with a digest before them."""
    return _digest(content) + b"\n" + content


def unsealed(data):
    """The content of what was sealed; None where it is damaged."""
    digest, _, content = data.partition(b"\n")
    return content if digest == _digest(content) else None


def _digest(content):
    return hashlib.sha256(content).hexdigest().encode()
