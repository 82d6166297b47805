"""What a kernel is told: places in its frame, an array of integers that the sweeps fill in before a call."""

SIZE = 0                                     # elements of the result
OUT = 1                                      # address that is written: the value, an adjoint or a tangent
RESULT = 2                                   # address of the result's value
INCOMING = 3                                 # address of g: the result's adjoint, or an operand's tangent
PLAN = 4                                     # address of the record's plan, integers that the operation understands
INCOMING_TANGENT = 5                         # address of the tangent of g, for the derivative of an adjoint
OPERANDS = 6                                 # then for each operand the address of its value and its size
SCRATCH = 16                                 # free for the kernel
TANGENTS = SCRATCH                           # of the result and then of each operand address and size, likewise
MAX_DIMS = 64                                # NumPy's limit, too
FRAME_LENGTH = SCRATCH + MAX_DIMS
