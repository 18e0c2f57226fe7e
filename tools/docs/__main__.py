"""Write the made pages; none where a definition is broken, which they would leave out."""

import sys

from tools.docs.pages import DOCS, pages
from windrow.pipelines.runs.definitions import check

if broken := [f"{each.place}: {each.problem}" for each in check([]) if each.problem]:
    sys.exit("\n".join(broken))

for name, text in pages().items():
    (DOCS / name).parent.mkdir(exist_ok=True)
    (DOCS / name).write_text(text)
    print(f"made docs/{name}")
