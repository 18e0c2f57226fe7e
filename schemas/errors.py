"""Every error that Windrow raises on purpose: one tree, one file, one exit code per kind.

    WindrowError
    ├── WrongParameter (ValueError)   2  a parameter's value is not allowed
    │   ├── NotServed                 2  allowed by the language, served by no kernel yet
    │   ├── NotRecounted              2  served, but the gate can't count its rows again
    │   └── TooManyRows               2  a replay would make more rows than it may
    ├── TooManySeconds                2  a replay took longer than it may
    ├── UnknownName (LookupError)     3  no stream, query or table of that name
    ├── BadInput (ValueError)         4  events that break the contract of a replay; names the row
    │   └── AggregateFailed           4  an aggregate has no right answer: beyond its type, say
    ├── OutsideStream                 5  a day that the stream does not have
    ├── NotSetUp                      6  a part of the environment is missing
    │   └── AirflowRefused            6  Airflow's server refused
    ├── TableMismatch                 7  a table on disk differs from its definition
    ├── GateFailed                    8  a check failed: nothing was published
    ├── IngestBehind                  9  the stream's tables are not those of an ingest that a run could read
    ├── StorageFailed                10  the disk refused a write, or maintenance removed what was read
    ├── LandingFailed                11  the landing folder can't be read
    ├── BadStatement                 12  SQL that the query command can't run
    ├── KernelOutOfMemory (MemoryError)  13  a kernel got no memory; what it worked on is lost
    ├── Superseded                   14  nothing was published: another run publishes the day
    ├── BrokenDefinition             15  the file of a stream, query or aggregate; names file and line
    ├── TableDamaged                 16  files of a table are missing, or hold something else
    ├── LockHeld                     17  another process kept a lock for too long
    ├── SparkEnded                   18  Spark's JVM ended while it worked
    ├── WorkerLost                   19  a thread of a farm or a process of an engine ended, or a function doesn't end
    ├── EarlierDayMissing            20  a day starts from what an earlier one left, and that is not there
    └── NothingArrived               21  a day before the first arrival or after the newest: there is nothing to replay

Each message says the value, the limit and the next step. The command line ends with its text and `exit_code`, and with
1 for any other, a defect of Windrow. The ledger and Airflow's tasks go by `refused`, `skipped` and `retry_helps`.
"""

from collections.abc import Iterable

from windrow.schemas.spelling import listing, shown, unknown


class WindrowError(Exception):
    """The root: raised only through its subclasses.

    refused: a rule refused what was asked or what is there, and the user has something to do; else it failed.
    skipped: nothing is wrong and the user has nothing to do, but the work was not done either.
    retry_helps: whether the same command may do better later, without the user doing anything.
    """

    exit_code, refused, skipped, retry_helps = 1, False, False, True


class WrongParameter(WindrowError, ValueError):
    """A parameter's value is not allowed."""

    exit_code, refused, retry_helps = 2, True, False

    def __init__(self, parameter: str, value: object, allowed: str, known: Iterable[str] = ()):
        self.parameter, self.value, self.allowed = parameter, value, allowed
        super().__init__(unknown(f"{parameter} is {shown(value)}", value, known, "allowed", allowed))


class NotServed(WrongParameter):
    """No kernel supports this part of the query language yet."""

    def __init__(self, parameter: str, value: object, served: list[str] | tuple[str, ...], meant: object = None):
        self.parameter, self.value, self.allowed = parameter, value, ", ".join(sorted(served))
        text = unknown(f"{parameter} {value!r} isn't supported yet", meant or value, served, "supported", self.allowed)
        WindrowError.__init__(self, text)


class NotRecounted(WrongParameter):
    """The gate can't count the rows of this window kind again, and no rows are published unchecked."""

    def __init__(self, kind: str, recounted: tuple[str, ...]):
        self.parameter, self.value, self.allowed = "window", kind, ", ".join(recounted)
        file = f"pipelines/gate/recount/kinds/{kind.replace('.', '/')}.py"
        lacks = f"window is {kind!r}, and the gate has no SQL to count its rows again. "
        WindrowError.__init__(self, f"{lacks}Use one of {self.allowed}, or add {file} (docs/add-a-window.md)")


class TooManyRows(WrongParameter):
    """A replay makes more rows than `most_rows` allows."""

    def __init__(self, rows: int, most: int, bytes_a_row: int):
        self.parameter, self.value, self.rows = "most_rows", most, rows
        WindrowError.__init__(
            self,
            f"this replay makes {rows:,} rows or more, of {bytes_a_row} bytes each; most_rows is {most:,}. Let windows "
            "slide further or emit less often, replay fewer events at a time, or raise most_rows: the option of "
            "replay_table, --most-rows of windrow replay and backfill, or the setting WINDROW_MOST_ROWS",
        )


class TooManySeconds(WindrowError):
    """A replay took longer than `most_seconds` allows."""

    exit_code, refused, retry_helps = 2, True, False

    def __init__(self, most: float | None = None):
        limit = "" if most is None else f", which is {most:,}"
        super().__init__(
            f"this replay took longer than most_seconds allows{limit}. Raise or remove that limit: the option of "
            "replay_table, --most-seconds of windrow replay and backfill, or the setting WINDROW_MOST_SECONDS"
        )


class UnknownName(WindrowError, LookupError):
    """No stream, query or table of that name."""

    exit_code, refused, retry_helps = 3, True, False

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...], most: int | None = None):
        self.kind, self.name, self.known = kind, name, sorted(known)
        listed = listing(self.known, most) or "none yet"
        super().__init__(unknown(f"no {kind} is named {name!r}", name, known, "known", listed))


class BadInput(WindrowError, ValueError):
    """Events break the contract of a replay. The message names the row."""

    exit_code, refused, retry_helps = 4, True, False


class AggregateFailed(BadInput):
    """An aggregate has no right answer for some values: an exact sum beyond int64, for example."""

    def __init__(self, aggregate: str, where: str, failure: str):
        super().__init__(f"{aggregate} of {where} {failure}")


class OutsideStream(WindrowError):
    """The day is before the stream's first day or after its last."""

    exit_code, refused, retry_helps = 5, True, False

    def __init__(self, stream: str, day: object, first_day: object, last_day: object):
        days = f"whose days run from {first_day} to {last_day}; choose one of them"
        super().__init__(f"{day} is not a day of stream {stream!r}, {days}")


class NotSetUp(WindrowError):
    """A part of the environment is missing. The message ends with the command that fixes it."""

    exit_code, retry_helps = 6, False

    def __init__(self, missing: str, fix: str):
        super().__init__(f"{missing}; fix it with: {fix}")


class AirflowRefused(NotSetUp):
    """Airflow's server refused a request. `status` is the HTTP status."""

    def __init__(self, status: int, asked: str, answer: str):
        self.status = status
        super().__init__(f"Airflow answered {status} to {asked}: {answer}", "windrow doctor")


class TableMismatch(WindrowError):
    """A table on disk differs from its definition. The message lists every difference."""

    exit_code, retry_helps = 7, False

    def __init__(self, table: str, differences: list[str], made_anew: str):
        self.differences = differences
        listed = "\n".join(f"  - {difference}" for difference in differences)
        super().__init__(
            f"table {table!r} differs from its definition in {len(differences)} place(s):\n{listed}\n"
            f"either restore the definition, or make the table anew: {made_anew}"
        )


class GateFailed(WindrowError):
    """A check failed. The audit rows are kept, and the published table has not changed."""

    exit_code, refused, retry_helps = 8, True, False

    def __init__(self, check: str, figure: object, limit: object, query: str):
        self.check, self.figure, self.limit, self.query = check, figure, limit, query
        super().__init__(
            f"check {check!r} failed: {figure} (limit: {limit}). None of these rows was published; the audit rows "
            f'are kept. To see the offending rows:\n  windrow query "{query}"'
        )


class IngestBehind(WindrowError):
    """The stream's newest ingest can't be replayed: another definition made its tables, or they are gone."""

    exit_code, refused, retry_helps = 9, True, False


class StorageFailed(WindrowError):
    """The disk refused a write, or maintenance removed a file that was being read. The same command may work later."""

    exit_code = 10


class LandingFailed(WindrowError):
    """The landing folder, or a file in it, can't be read. The same command may work later."""

    exit_code = 11


class BadStatement(WindrowError):
    """`windrow query` can't run this SQL."""

    exit_code, retry_helps = 12, False


class KernelOutOfMemory(WindrowError, MemoryError):
    """A kernel got no memory, and its call ended in the middle. The object that it worked on can't be used again."""

    exit_code = 13

    def __init__(self, asked_bytes: int):
        self.asked_bytes = asked_bytes
        less = "a shorter window, fewer keys at once, or an aggregate with a shorter state"
        lacks = f"a kernel asked for {asked_bytes:,} bytes and there is no more memory"
        super().__init__(f"{lacks}; give the process more memory, or the kernel less work: {less}")


class Superseded(WindrowError):
    """Newer rows of the day have passed the gate. Their run publishes the day, so this run did not."""

    exit_code, skipped, retry_helps = 14, True, False

    def __init__(self, audited: str, newest: str, run_id: str, command: str):
        self.newest, self.run_id = newest, run_id
        super().__init__(
            f"{audited} was not published: {newest}, passed the gate, and its run {run_id!r} "
            f"publishes the day. If that run has already ended without publishing: {command}"
        )


class LockHeld(WindrowError):
    """A lock was not free within the time that a process may wait."""

    exit_code = 17

    def __init__(self, lock: str, holder: object | None, most_s: int, setting: str):
        self.lock, self.holder = lock, holder
        process = getattr(holder, "process", "PROCESS")
        super().__init__(
            f"the lock {lock!r} was not free within {most_s:,} s: held by {holder or 'a process that is not known'}. "
            f"Wait for that process, or end it (kill {process}), and run this again; to wait longer: {setting}"
        )


class SparkEnded(WindrowError):
    """Spark's JVM ended while it worked: another process ended it, or the machine ran out of memory."""

    exit_code = 18


class WorkerLost(WindrowError):
    """A farm's thread or an engine's process ended, or a function doesn't end. The message says what to do."""

    exit_code = 19


class EarlierDayMissing(WindrowError):
    """The run of a day starts from the state that an earlier day's run left, and no such state fits."""

    exit_code, refused, retry_helps = 20, True, False


class NothingArrived(WindrowError):
    """The days are before the stream's first arrival or after its newest, so their runs would make no rows."""

    exit_code, skipped, retry_helps = 21, True, False


class BrokenDefinition(WindrowError):
    """The file of a stream, a query or an aggregate has a mistake. Definitions that don't need it still work."""

    exit_code, refused, retry_helps = 15, True, False

    def __init__(self, file: str, line: int, problem: str):
        self.file, self.line, self.problem = file, line, problem
        super().__init__(f"{file}:{line}: {problem}; edit it, then: windrow check")


class TableDamaged(WindrowError):
    """A file of a table, or of its log, is missing or can't be read."""

    exit_code, refused, retry_helps = 16, True, False

    def __init__(self, table: str, file: str, wrong: str, command: str):
        self.table, self.file, self.wrong = table, file, wrong
        super().__init__(f"table {table!r} is damaged: {file} {wrong}. First run: {command}")


def kinds() -> tuple[type[WindrowError], ...]:
    """Every class of the tree, the root first."""
    return tuple(each for each in globals().values() if isinstance(each, type) and issubclass(each, WindrowError))


def raised_elsewhere(kind: str, text: str) -> WindrowError:
    """An error of this tree of another process, of which the class's name and the text are known, and no attribute."""
    # Not the class's own __new__: Python finds MemoryError's, which makes no class that has another base before it.
    return Exception.__new__({each.__name__: each for each in kinds()}[kind], text)
