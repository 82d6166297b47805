"""Both tiers: modules that use the fixture `tier` run in each."""

import pytest

from tapegrad.replay import compiled


@pytest.fixture(scope="module", params=["interpreter", "machine"])
def tier(request):
    """The tier of what is compiled without one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(compiled.TIERS, None, compiled.TIERS[request.param])
        yield request.param
