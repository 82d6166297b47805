"""What a program is drawn with."""


class Choices:
    """Choices made of whole numbers: ``integer(low, high)`` draws one, both ends included. Of Python's generators that is
    `randint`; Hypothesis can draw them as well, and then shrinks toward `low` and the first option."""

    def __init__(self, integer):
        self.integer = integer

    def choose(self, options):
        options = list(options)
        return options[self.integer(0, len(options) - 1)]

    def chance(self, one_in):
        return self.integer(1, one_in) == one_in

    def integers(self, low, high, count):
        return [self.integer(low, high) for _ in range(count)]
