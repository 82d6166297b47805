"""What Python lets a function refer to, by whatever way: a compiled function sees its changes, or says that it runs eagerly."""

import argparse
import collections
import dataclasses
import enum
import functools
import importlib
import operator
import sys
import types
import weakref

import numpy as np
import pytest

import tapegrad as tg


class Part:
    def __init__(self, k=1.0):
        self.k = k


class Subarray(np.ndarray):
    pass


class Text(str):
    pass


class Refuses:
    k = 1.0

    def __getattr__(self, name):
        raise KeyError(name)


Pair = collections.namedtuple("Pair", "first second")
module = types.ModuleType("drawn_module")
exec("k = 1.0\ndef times(x): return x * k", vars(module))
CASES = {}


def case(make):
    """A function that gives a function of x, which multiplies it by 1, and what has it multiply by 5."""
    CASES[make.__name__] = make
    return make


# Containers


@case
def keys_of_a_dict():
    table = {1.0: None}
    return lambda x: x * sum(table.keys()), lambda: (table.clear(), table.update({5.0: None}))


@case
def a_key_that_is_missing():
    table = {"a": 1.0}
    return lambda x: x * table.get("a", 5.0), lambda: (table.clear(), table.update(b=1.0))


@case
def an_object_that_is_a_key():
    key = Part()
    table = {key: None}
    return lambda x: x * sum(part.k for part in table), lambda: setattr(key, "k", 5.0)


@case
def an_object_in_a_set():
    part = Part()
    members = {part}
    return lambda x: x * sum(part.k for part in members), lambda: setattr(part, "k", 5.0)


@case
def an_object_in_a_named_tuple():
    pair = Pair(Part(), 1.0)
    return lambda x: x * pair.first.k, lambda: setattr(pair.first, "k", 5.0)


@case
def a_dict_that_makes_what_is_missing():
    parts = collections.defaultdict(Part)
    return lambda x: x * parts["a"].k, lambda: setattr(parts["a"], "k", 5.0)


@case
def a_chain_of_dicts():
    table = {"a": 1.0}
    chain = collections.ChainMap({}, table)
    return lambda x: x * chain["a"], lambda: table.update(a=5.0)


@case
def a_dict_of_weak_keys():
    key, table = Part(), weakref.WeakKeyDictionary()
    return lambda x: x * table.get(key, 1.0), lambda: table.update({key: 5.0})


@case
def a_deque():
    queue = collections.deque([1.0])
    return lambda x: x * queue[0], lambda: queue.appendleft(5.0)


@case
def bytes_that_change():
    memory = bytearray([1])
    return lambda x: x * memory[0], lambda: memory.__setitem__(0, 5)


@case
def a_structured_array():
    table = np.ones(2, [("k", float)])
    return lambda x: x * table["k"][0], lambda: table["k"].fill(5.0)


@case
def an_attribute_of_an_array():
    a = np.ones(2).view(Subarray)
    a.k = 1.0
    return lambda x: x * a.k, lambda: setattr(a, "k", 5.0)


# Objects


@case
def a_namespace_in_a_namespace():
    space = types.SimpleNamespace(inner=types.SimpleNamespace(k=1.0))
    return lambda x: x * space.inner.k, lambda: setattr(space.inner, "k", 5.0)


@case
def arguments_of_a_command():
    space = argparse.Namespace(inner=argparse.Namespace(k=1.0))
    return lambda x: x * space.inner.k, lambda: setattr(space.inner, "k", 5.0)


@case
def an_object_in_a_data_class():
    @dataclasses.dataclass
    class Data:
        part: Part = dataclasses.field(default_factory=Part)

    space = types.SimpleNamespace(data=Data())
    return lambda x: x * space.data.part.k, lambda: setattr(space.data.part, "k", 5.0)


@case
def an_attribute_that_goes():
    space = types.SimpleNamespace(a=1.0)
    return lambda x: x * (1.0 if hasattr(space, "a") else 5.0), lambda: delattr(space, "a")


@case
def the_class_of_an_object():
    class Other:
        k = 5.0

    class One:
        k = 1.0

    one = One()
    return lambda x: x * one.k, lambda: setattr(one, "__class__", Other)


@case
def an_object_that_its_class_has():
    class Owner:
        part = Part()

    owner = Owner()
    return lambda x: x * owner.part.k, lambda: setattr(Owner.part, "k", 5.0)


@case
def what_a_helper_looks_up():
    class Owner:
        part = Part()

    def helper(thing):
        return thing.part.k

    owner = Owner()
    return lambda x: x * sum(helper(thing) for thing in [owner]), lambda: setattr(Owner.part, "k", 5.0)


class Owner:
    def __init__(self, settings):
        self.settings = settings

    def times(self, x):
        return x * self.settings.k


@case
def a_class_that_an_object_has():
    class Settings:
        k = 1.0

    owner = Owner(Settings)
    return lambda x: owner.times(x), lambda: setattr(Settings, "k", 5.0)


@case
def a_module_that_an_object_has():
    owner = Owner(module)
    return lambda x: owner.times(x), lambda: setattr(module, "k", 5.0)


@case
def a_base_class():
    class Base:
        k = 1.0

    class Derived(Base):
        def times(self, x):
            return x * super().k

    derived = Derived()
    return lambda x: derived.times(x), lambda: setattr(Base, "k", 5.0)


@case
def what_an_object_is_made_with():
    class Made:
        k = 1.0

        def __init__(self):
            self.value = Made.k

    return lambda x: x * Made().value, lambda: setattr(Made, "k", 5.0)


@case
def the_one_object_of_a_class():
    class Single:
        one = None

        def __new__(cls):
            if cls.one is None:
                cls.one = object.__new__(cls)
                cls.one.k = 1.0
            return cls.one

    Single()
    return lambda x: x * Single().k, lambda: setattr(Single.one, "k", 5.0)


@case
def a_descriptor():
    class Constant:
        value = 1.0

        def __get__(self, thing, owner):
            return self.value

    class Owner:
        k = Constant()

    owner = Owner()
    return lambda x: x * owner.k, lambda: setattr(vars(Owner)["k"], "value", 5.0)


@case
def a_metaclass_that_answers():
    table = {"k": 1.0}

    class Answers(type):
        def __getattr__(cls, name):
            return table[name]

    class Asked(metaclass=Answers):
        pass

    return lambda x: x * Asked.k, lambda: table.update(k=5.0)


@case
def an_object_that_refuses():
    thing = Refuses()
    return lambda x: x * thing.k, lambda: setattr(thing, "k", 5.0)


@case
def a_member_of_an_enumeration():
    class Kind(enum.Enum):
        ONE = 1

    Kind.ONE.k = 1.0
    return lambda x: x * Kind.ONE.k, lambda: setattr(Kind.ONE, "k", 5.0)


# Functions


@case
def an_attribute_of_a_function():
    def helper(x):
        return x * helper.part.k

    helper.part = Part()
    return lambda x: helper(x), lambda: setattr(helper.part, "k", 5.0)


@case
def a_method_of_a_dict():
    table = {"k": 1.0}
    get = table.get
    return lambda x: x * get("k"), lambda: table.update(k=5.0)


@case
def a_partial_method_of_a_dict():
    table = {"k": 1.0}
    get = functools.partial(table.get, "k")
    return lambda x: x * get(), lambda: table.update(k=5.0)


@case
def a_method_of_an_array():
    a = np.array([1.0])
    total = a.sum
    return lambda x: x * total(), lambda: a.fill(5.0)


@case
def an_operator_of_a_list():
    values = [1.0]
    get = values.__getitem__
    return lambda x: x * get(0), lambda: values.__setitem__(0, 5.0)


@case
def a_ufunc_of_a_function():
    table = {"k": 1.0}
    ufunc = np.frompyfunc(lambda n: n * table["k"], 1, 1)
    return lambda x: x * ufunc(1.0), lambda: table.update(k=5.0)


@case
def a_getter_of_attributes():
    space, get = types.SimpleNamespace(part=Part()), operator.attrgetter("part.k")
    return lambda x: x * get(space), lambda: setattr(space.part, "k", 5.0)


@case
def a_getter_of_a_class():
    class Owner:
        part = Part()

    return lambda x: x * operator.attrgetter("part.k")(Owner), lambda: setattr(Owner.part, "k", 5.0)


@case
def an_object_that_is_made_once():
    @functools.lru_cache
    def settings():
        return Part()

    settings()
    return lambda x: x * settings().k, lambda: setattr(settings(), "k", 5.0)


# Names that are computed, modules and files


@case
def names_of_a_class():
    class Owner:
        k1, k2 = 1.0, 0.0

    return lambda x: x * sum(getattr(Owner, f"k{i}") for i in (1, 2)), lambda: setattr(Owner, "k2", 4.0)


@case
def the_namespace_of_a_class():
    class Owner:
        k1 = 1.0

    name = "k" + str(1)
    return lambda x: x * vars(Owner)[name], lambda: setattr(Owner, name, 5.0)


@case
def names_of_a_module():
    name = "".join(["k"])
    return lambda x: x * getattr(module, name), lambda: setattr(module, "k", 5.0)


@case
def a_function_of_a_module():
    return lambda x: module.times(x), lambda: setattr(module, "k", 5.0)


@case
def modules_by_name():
    return lambda x: x * sys.modules["drawn_module"].k, lambda: setattr(module, "k", 5.0)


@case
def modules_that_are_imported_by_name():
    return lambda x: x * importlib.import_module("drawn_module").k, lambda: setattr(module, "k", 5.0)


@case
def what_the_program_was_given():
    given = len(sys.argv) - 1
    return lambda x: x * (len(sys.argv) - given), lambda: sys.argv.extend([""] * 4)


@pytest.fixture
def as_before(monkeypatch):
    monkeypatch.setitem(sys.modules, "drawn_module", module)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    yield
    module.k = 1.0


@pytest.mark.usefixtures("as_before")
@pytest.mark.filterwarnings("ignore:compile runs")
@pytest.mark.parametrize("transform", [lambda f: f, tg.grad], ids=["value", "gradient"])
@pytest.mark.parametrize("name", CASES)
def test_changes_are_seen(name, transform):
    function, change = CASES[name]()
    f = transform(tg.compile(function))
    for _ in range(5):
        assert float(f(1.0)) == 1.0
    change()
    assert float(f(1.0)) == 5.0


@pytest.mark.filterwarnings("ignore:compile runs")
def test_a_file_is_read_in_each_call(tmp_path):
    path = tmp_path / "k"
    path.write_text("1.0")

    def f(x):
        with open(path) as file:
            return x * float(file.read())

    gradient = tg.grad(tg.compile(f))
    for _ in range(5):
        assert gradient(1.0) == 1.0
    path.write_text("5.0")
    assert gradient(1.0) == 5.0


class Holder:
    part = Part()


ARGUMENTS = {
    "object": (Holder, lambda x, a: x * a.part.k, lambda a: a.part),
    "class": (lambda: Holder, lambda x, a: x * getattr(a, "part").k, lambda a: a.part),  # noqa: B009
    "namespace": (lambda: types.SimpleNamespace(part=Part()), lambda x, a: x * a.part.k, lambda a: a.part),
    "dict": (lambda: {"part": Part()}, lambda x, a: x * a["part"].k, lambda a: a["part"]),
    "list": (lambda: [Part()], lambda x, a: x * a[0].k, lambda a: a[0]),
    "named tuple": (lambda: Pair(Part(), 1.0), lambda x, a: x * a.first.k, lambda a: a.first),
    "module": (lambda: module, lambda x, a: x * a.k, lambda a: a),
    "text": (lambda: Text("a"), lambda x, a: x * getattr(a, "k", 1.0), lambda a: a),
}


@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_changes_of_arguments_are_seen(name):
    make, function, changing = ARGUMENTS[name]
    argument, gradient = make(), tg.grad(tg.compile(function))
    changing(argument).k = 1.0
    for _ in range(5):
        assert gradient(1.0, argument) == 1.0
    changing(argument).k = 5.0
    assert gradient(1.0, argument) == 5.0


def test_what_is_watched_is_replayed():
    """And does not run eagerly, which would see everything."""
    parts = {"a": Part(), Part(): None, "space": types.SimpleNamespace(inner=Part())}
    compiled = tg.compile(lambda x: x * parts["a"].k * parts["space"].inner.k * sum(getattr(p, "k", 0.0) for p in parts))
    gradient = tg.grad(compiled)
    for _ in range(10):
        assert gradient(1.0) == 1.0
    (site,) = compiled.sites.values()
    assert (site.recorded, site.reason) == (2, "")
    assert site.paths
