"""Every page of the report in headless Chromium: no message on its console, every figure drawn, at both widths and in
both themes; none is wider than a phone; menu, search and links into folded tables work. Nightly; skipped, saying so,
where there is none: apt-get install -y --no-install-recommends chromium."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from windrow.pipelines.report import site

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium: apt-get install -y --no-install-recommends chromium"),
]
PHONE, DESKTOP = (412, 915), (1_280, 900)
DARK, LIGHT = 0, 1
PLACE = re.compile(
    r'<div class="chart[^"]*" data-figure="([\w-]+)" data-rows="\d+" data-state="(\w+)"(?: data-marks="(\d+)")?'
)
# What headless Chromium writes about the machine that it is on; a page's own messages come with this word.
CONSOLE = ":CONSOLE"


@pytest.fixture(scope="module")
def folder(first_published, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("browser") / "report"
    site.build(first_published, folder, lambda text: None)
    return folder


def opened(page: Path, width: int, height: int, theme: int, profile: Path) -> subprocess.CompletedProcess:
    """The page's elements once its scripts have run, on stdout; its console on stderr. No server can be reached."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]
    options += ["--virtual-time-budget=60000", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}"]
    options += [f"--window-size={width},{height}", f"--blink-settings=preferredColorScheme={theme}"]
    command = [CHROMIUM, *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)


def within_a_phone(page: Path, script: str, profile: Path) -> str:
    """What a script comes to, an expression that may be a promise of a string, once the page is drawn in a frame of
    390 px: no window of Chromium's is so narrow."""
    asks = f"Promise.resolve({script}).then((found) => parent.postMessage(found, '*'))"
    text, frame = page.read_text(), page.with_name("frame.htm")
    page.write_text(f"{text}<script>addEventListener('load', () => setTimeout(() => {asks}, 8000))</script>")
    frame.write_text(
        "<script>addEventListener('message', (sent) => { document.title = sent.data; })</script>"
        f"<iframe width=390 height=800 src='{page.name}'></iframe>"
    )
    found = opened(frame, *DESKTOP, LIGHT, profile).stdout
    page.write_text(text)
    return found.partition("<title>")[2].partition("</title>")[0]


@pytest.fixture
def copied(folder, tmp_path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "report"))


def test_no_page_is_wider_than_a_phone(copied, tmp_path):
    wider = "String(document.documentElement.scrollWidth > innerWidth)"
    found = {page.name: within_a_phone(page, wider, tmp_path / "profile") for page in sorted(copied.glob("*.html"))}
    assert set(found.values()) == {"false"}, found


USED = """(async () => {
  const [menu, asked, folded] = ["#menu", "#search input", "#silver_bikes"].map((each) => document.querySelector(each));
  const isShown = () => asked.offsetParent !== null;
  const states = [isShown(), (menu.click(), isShown())];
  asked.value = "silver trip dur";
  asked.dispatchEvent(new Event("input"));
  const link = document.querySelector("#found a");
  link.click();
  await new Promise((later) => setTimeout(later, 500));
  return [...states, link.getAttribute("href"), isShown(), folded.open].join(" ");
})()"""


def test_a_phones_menu_has_the_search_which_leads_into_the_folded_table(copied, tmp_path):
    found = within_a_phone(copied / "lineage.html", USED, tmp_path / "profile")
    address = "lineage.html#silver_bikes.trip_duration_s"
    assert found == f"false true {address} false true"


CLICKED = """(async () => {
  const dot = document.querySelector("[data-figure=revisions] .mark-symbol.role-mark path");
  dot.scrollIntoView();
  const { left, top, width, height } = dot.getBoundingClientRect();
  const place = { bubbles: true, view: window, clientX: left + width / 2, clientY: top + height / 2 };
  for (const kind of ["mousemove", "mousedown", "mouseup", "click"]) dot.dispatchEvent(new MouseEvent(kind, place));
  await new Promise((later) => setTimeout(later, 1000));
  const row = document.getElementById(location.hash.slice(1));
  return [location.hash, row.closest("details").open].join(" ");
})()"""


def test_a_click_on_a_revision_opens_the_events_that_made_it(copied, tmp_path):
    found = within_a_phone(copied / "query-bikes_demand.html", CLICKED, tmp_path / "profile")
    assert re.fullmatch(r"#why-\d+-\d+ true", found), found


@pytest.mark.parametrize(("width", "height", "theme"), [(*DESKTOP, LIGHT), (*PHONE, DARK)], ids=["desktop", "phone"])
def test_every_figure_of_every_page_is_drawn_without_a_message(folder, tmp_path, width, height, theme):
    drawn = 0
    for page in sorted(folder.glob("*.html")):
        found = opened(page, width, height, theme, tmp_path / "profile")
        assert [line for line in found.stderr.splitlines() if CONSOLE in line] == [], page.name
        figures = PLACE.findall(found.stdout)
        assert len(figures) == page.read_text().count("data-figure="), page.name
        assert [name for name, state, marks in figures if state != "drawn" or int(marks) < 5] == [], page.name
        drawn += len(figures)
    assert drawn > 20
