"""Programs in the style of those that HIPS autograd is shown with. Each takes the library's modules, and so runs on both.

``np`` is autograd.numpy or tapegrad.numpy, ``ag`` has grad and its kin.
"""

import itertools

import numpy

RANDOM = numpy.random.RandomState


def tanh_derivatives(np, ag, norm):
    """elementwise_grad nested six times"""

    def tanh(x):
        y = np.exp(-2.0 * x)
        return (1.0 - y) / (1.0 + y)

    x, results, function = np.linspace(-3, 3, 11), [], tanh
    for _ in range(5):
        results.append(function(x))
        function = ag.elementwise_grad(function)
    return results


def logistic_regression(np, ag, norm):
    def sigmoid(x):
        return 0.5 * (np.tanh(x / 2.0) + 1)

    inputs = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.30], [0.74, -2.49, 1.39]])
    targets = np.array([True, True, False, True])

    def loss(weights):
        predictions = sigmoid(np.dot(inputs, weights))
        probabilities = predictions * targets + (1 - predictions) * (1 - targets)
        return -np.sum(np.log(probabilities))

    gradient, weights = ag.grad(loss), np.array([0.0, 0.0, 0.0])
    for _ in range(50):
        weights = weights - gradient(weights) * 0.1
    return [weights, loss(weights), ag.hessian(loss)(weights)]


def neural_network(np, ag, norm):
    """Parameters are a list of pairs."""
    random = RANDOM(0)
    sizes = [2, 5, 3]
    parameters = [(0.5 * random.randn(m, n), 0.5 * random.randn(n)) for m, n in itertools.pairwise(sizes)]
    inputs, classes = random.randn(7, 2), random.randint(0, 3, 7)
    targets = np.array(classes[:, None] == np.arange(3)[None, :], dtype=int)

    def log_softmax(x):
        largest = np.max(x, axis=1, keepdims=True)
        return x - largest - np.log(np.sum(np.exp(x - largest), axis=1, keepdims=True))

    def objective(parameters, step):
        outputs = inputs
        for W, b in parameters:
            final = np.dot(outputs, W) + b
            outputs = np.tanh(final)
        prior = sum(np.sum(W**2) + np.sum(b**2) for W, b in parameters)
        return 0.01 * prior - np.sum(log_softmax(final) * targets) / targets.shape[0]

    gradient = ag.grad(objective)
    for step in range(10):
        parameters = [(W - 0.1 * dW, b - 0.1 * db) for (W, b), (dW, db) in zip(parameters, gradient(parameters, step))]
    return [p for pair in parameters for p in pair] + [objective(parameters, 0)]


def recurrent_network(np, ag, norm):
    """Parameters in a dict, a loop over time, outputs in a list that becomes an array."""
    random = RANDOM(1)
    parameters = {
        "hidden": 0.4 * random.randn(4, 4),
        "inputs": 0.4 * random.randn(2, 4),
        "out": random.randn(4),
        "start": np.zeros(4),
    }
    signal = random.randn(9, 2)

    def loss(parameters):
        state, outputs = parameters["start"], []
        for row in signal:
            state = np.tanh(np.dot(row, parameters["inputs"]) + np.dot(state, parameters["hidden"]))
            outputs.append(np.dot(state, parameters["out"]))
        return np.mean((np.array(outputs[:-1]) - signal[1:, 0]) ** 2)

    value, gradient = ag.value_and_grad(loss)(parameters)
    return [value] + [gradient[name] for name in sorted(gradient)]


def differential_equation(np, ag, norm):
    """Lotka and Volterra, by Runge's and Kutta's steps; sensitivities by parameters and start"""

    def slope(state, p):
        prey, predators = state[0], state[1]
        return np.array([p[0] * prey - p[1] * prey * predators, -p[2] * predators + p[3] * prey * predators])

    def end(p, start):
        state, h = start, 0.05
        for _ in range(20):
            k1 = slope(state, p)
            k2 = slope(state + h / 2 * k1, p)
            k3 = slope(state + h / 2 * k2, p)
            k4 = slope(state + h * k3, p)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state

    p, start = np.array([1.5, 1.0, 3.0, 1.0]), np.array([1.0, 1.0])
    return [end(p, start), ag.jacobian(end)(p, start), ag.jacobian(end, 1)(p, start)]


def gaussian_process(np, ag, norm):
    """The log marginal likelihood of data, by the logarithms of length, variance and noise"""
    random = RANDOM(2)
    x, y = np.sort(random.rand(8) * 6), random.randn(8)

    def likelihood(parameters):
        length, variance, noise = np.exp(parameters[0]), np.exp(parameters[1]), np.exp(parameters[2])
        distance = (np.expand_dims(x, 1) - np.expand_dims(x, 0)) / length
        K = variance * np.exp(-0.5 * distance**2) + (noise + 1e-6) * np.eye(len(y))
        L = np.linalg.cholesky(K)
        whitened = np.linalg.solve(L, y)
        return -0.5 * np.dot(whitened, whitened) - np.sum(np.log(np.diag(L))) - 0.5 * len(y) * np.log(2 * np.pi)

    parameters = np.array([0.1, -0.2, -1.0])
    sign, logdet = np.linalg.slogdet(np.eye(3) * np.exp(parameters))
    return [likelihood(parameters), ag.grad(likelihood)(parameters), sign, logdet]


def variational_objective(np, ag, norm):
    """Black-box variational inference: the evidence bound of a diagonal Gaussian, by reparametrised samples"""
    samples = RANDOM(3).randn(30, 2)

    def log_density(x):
        mu, log_sigma = x[:, 0], x[:, 1]
        return norm.logpdf(log_sigma, 0, 1.35) + norm.logpdf(mu, 0, np.exp(log_sigma))

    def objective(parameters):
        mean, log_std = parameters[:2], parameters[2:]
        entropy = 0.5 * 2 * (1.0 + np.log(2 * np.pi)) + np.sum(log_std)
        return -(entropy + np.mean(log_density(samples * np.exp(log_std) + mean)))

    parameters = np.concatenate([np.array([-1.0, 0.5]), -2.0 * np.ones(2)])
    gradient = ag.grad(objective)
    for _ in range(5):
        parameters = parameters - 0.05 * gradient(parameters)
    return [parameters, objective(parameters)]


def rosenbrock(np, ag, norm):
    def function(x):
        return sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)

    x, v = np.array([1.3, 0.7, 0.8, 1.9, 1.2]), np.arange(5.0)
    value, gradient = ag.value_and_grad(function)(x)
    return [value, gradient, ag.hessian(function)(x), ag.hessian_vector_product(function)(x, v)]


def data_structures(np, ag, norm):
    """Arguments that are tuples, lists and dicts of each other, and one that is not differentiated"""

    def function(parameters, scale):
        a, (b, c) = parameters["first"], parameters["others"]
        return scale * (np.sum(a * b[0]) + np.prod(b[1]) + np.sin(c))

    parameters = {"first": np.arange(3.0), "others": ([np.ones(3) * 0.3, np.array([2.0, 3.0])], 0.4)}
    gradient = ag.grad(function)(parameters, 2.0)
    b, c = gradient["others"]
    return [gradient["first"], b[0], b[1], c]


def several_products(np, ag, norm):
    """make_vjp, make_jvp, gradients of gradients, checkpoint"""

    def function(x):
        return np.stack([np.sin(x[0]) * x[1], x[0] ** 3, x[0] * x[1]])

    x = np.array([0.3, 0.8])
    vjp, value = ag.make_vjp(function)(x)
    jvp = ag.make_jvp(function)(x)
    scalar = lambda t: np.sin(t) * np.exp(t)
    return [
        value,
        vjp(np.array([1.0, 2.0, 3.0])),
        jvp(np.array([1.0, -1.0]))[1],
        ag.grad(ag.grad(ag.grad(scalar)))(0.3),
        ag.grad(ag.checkpoint(lambda t: np.sum(np.cos(t) ** 2)))(x),
    ]


def arrangements(np, ag, norm):
    """Functions that arrange, join and pick, and arrays made of numbers and results"""

    def function(x):
        table = np.vstack([np.hstack([x, np.zeros(1)]), np.concatenate((x[::-1], np.array([1.0])))])
        picked = np.where(table > 0.5, table, table**2)
        grid = np.array([[x[0], 1.0], [2.0, x[1] * x[2]]])
        parts = np.split(np.cumsum(np.reshape(picked, -1)), 2)
        return (
            np.sum(np.abs(np.linalg.inv(grid)))
            + np.max(parts[0]) * np.min(parts[1])
            + np.trace(np.outer(x, x))
            + np.einsum("i,ij->", x[:2], grid)
            + np.sum(np.sort(x) * np.arange(3))
            + np.std(x)
            + np.var(picked)
            + np.sum(np.tile(x, 2))
            + np.sum(np.repeat(x, 3) * np.arange(9))
            + np.sum(np.clip(x, 0.2, 0.9))
            + np.linalg.norm(x)
            + np.sum(np.maximum(x, 0.5))
            + np.sum(np.roll(x, 1) * x)
            + np.sum(np.tensordot(grid, grid))
        )

    x = np.array([0.3, 0.8, 1.7])
    return [function(x), ag.grad(function)(x), ag.hessian(function)(x)]


PROGRAMS = [
    tanh_derivatives,
    logistic_regression,
    neural_network,
    recurrent_network,
    differential_equation,
    gaussian_process,
    variational_objective,
    rosenbrock,
    data_structures,
    several_products,
    arrangements,
]
