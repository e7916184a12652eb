"""What an oracle raises."""


class Difference(Exception):
    """What the program said or did, and what it should have."""
