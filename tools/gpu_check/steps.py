"""The steps, what matters most first: when time is short, the last ones are left out."""

from dataclasses import dataclass
from typing import Callable

import driver
import elements
import expressions
import faults
import jobs
import machine
import pixels
import rates


@dataclass(frozen=True)
class Step:
    name: str
    limit_s: float
    work: Callable

    @property
    def what(self):
        return self.work.__doc__.splitlines()[0]


STEPS = (
    Step("machine", 40, machine.machine),
    Step("parity", 150, pixels.parity),
    Step("jobs", 90, jobs.jobs),
    Step("rates", 60, rates.rates),
    Step("job", 60, rates.job),
    Step("deep", 60, rates.deep),
    Step("cub", 45, rates.cub),
    Step("renders", 60, pixels.renders),
    Step("deep-renders", 60, pixels.deep_renders),
    Step("arrays", 90, elements.arrays),
    Step("expressions", 90, expressions.expressions),
    Step("faults", 100, faults.faults),
    Step("limits", 60, faults.limits),
    Step("driver", 60, driver.driver),
    Step("together", 60, rates.together),
    Step("opencl", 60, rates.opencl),
    Step("profile", 60, rates.profile),
    Step("files", 75, rates.files),
    Step("crossover", 45, rates.crossover),
)
