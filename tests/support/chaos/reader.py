"""A user who reads what commands print, and does what it says."""

import json
import re

from tests.support.chaos.commands import Ended, Terminal
from tests.support.chaos.landing_folder import LandingFolder
from tests.support.damages import asked_for
from windrow.schemas.errors import NothingArrived, UnknownName

MOST_COMMANDS = 60
# A file that is gone may have had all events of a day.
WELL = (0, NothingArrived.exit_code)
_PUT_BACK = (
    re.compile(r"^(?:note: )?([^\s:]+): .*[Pp]ut the file back", re.MULTILINE),
    re.compile(r"no other file has their content, such as ([^\s;]+); put them back"),
)


class Reader:
    """Types commands until they have nothing more to say."""

    def __init__(self, terminal: Terminal, folder: LandingFolder | None = None):
        self.terminal, self.folder = terminal, folder
        self.typed: list[str] = []

    def until_it_works(self, words: list[str]) -> Ended:
        """Do what the messages of a command say, and those of what they say, until it ends well."""
        waiting = [words]
        while waiting:
            ended = self.type(waiting[0])
            asked = [each for each in asked_for(ended.text) if each != ended.words]
            is_done = ended.exit_code in WELL or self.was_forgotten(ended)
            # 14: another run publishes the day, by the command that the message has.
            assert is_done or asked or self.put_back(ended), f"{ended}\n{ended.text}"
            if is_done:
                waiting.pop(0)
            if ended.words == words:
                last = ended
            waiting = [*asked, *(each for each in waiting if each not in asked)]
        return last

    def type(self, words: list[str]) -> Ended:
        """Type one command."""
        self.typed.append(" ".join(words))
        assert len(self.typed) <= MOST_COMMANDS, self.typed
        return self.terminal.type(words)

    def was_forgotten(self, ended: Ended) -> bool:
        """Whether another command has taken out meanwhile what this one was to."""
        is_unknown = ended.words[0] == "forget" and ended.exit_code == UnknownName.exit_code
        return is_unknown and self.folder is not None and ended.words[1] not in self.folder.finished

    def put_back(self, ended: Ended) -> bool:
        """Put back the files that a message asks for; whether there were any."""
        asked = sorted({path for pattern in _PUT_BACK for path in pattern.findall(ended.text)})
        known = [path for path in asked if self.folder and path in self.folder.finished]
        for path in known:
            self.folder.put_back(path)
        return bool(known)

    def finish(self, stream: str) -> None:
        """Look for damage that no command met, ingest, and replay what is stale, until nothing is left to do."""
        self.typed = []
        self.until_it_works(["repair"])
        while True:
            ingested = self.until_it_works(["ingest", stream])
            if self.put_back(ingested):
                continue
            if not self.replay_what_is_stale():
                return

    def replay_what_is_stale(self) -> list[dict]:
        """What `windrow runs --stale` lists; returns that."""
        listed = self.until_it_works(["runs", "--stale", "--json"])
        stale = json.loads(next(line for line in listed.text.splitlines() if line.startswith("[")))
        for run in stale:
            self.until_it_works(["replay", run["query"], "--day", run["day"]])
        return stale
