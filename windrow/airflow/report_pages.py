"""The pages of `windrow report` in Airflow's server, for users who may see its assets: from a page of Airflow a browser
follows no link to a file."""

from html import escape
from pathlib import Path

from airflow.api_fastapi.core_api.security import requires_access_asset
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from windrow.airflow.operators import address
from windrow.pipelines import config, flow
from windrow.pipelines.report.dag_text import TEXTS
from windrow.pipelines.report.words import FIRST_FILE, stream_file
from windrow.schemas import registry

STYLE = TEXTS.parent / "site.css"
START = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Report · Windrow</title>
<style>{style}</style><main><h1>Report</h1><p class="lead">There is no report yet.</p>
<ol><li>Unpause the DAG of a stream: {dags}.</li>
<li>When its first run has ended, the DAG <code>windrow_report</code> makes the pages, also after a failure.</li>
<li>To have it now, run <code>windrow report</code> on the machine of the lake.</li></ol></main></html>"""

app = FastAPI(title="The report of Windrow", dependencies=[Depends(requires_access_asset("GET"))])


@app.exception_handler(HTTPException)
def in_words(_: Request, error: HTTPException) -> HTMLResponse:
    """A page that says why there is none: a browser would show FastAPI's answer as it is, which is JSON."""
    page = f"<!doctype html><title>Report</title><p>{escape(str(error.detail))}</p>"
    return HTMLResponse(page, error.status_code, error.headers)


@app.get("/of/{dag_id}")
def page_of_dag(dag_id: str) -> RedirectResponse:
    """To the page of the DAG's stream, or to the first where it has none."""
    for behind in (flow.IN_ORDER, flow.BACKFILL, flow.STALE):
        dag_id = dag_id.removesuffix(behind)
    file = stream_file(dag_id)
    return RedirectResponse(address(file if _place(file).is_file() else FIRST_FILE))


@app.get("/{file:path}", response_model=None)
def page(file: str) -> FileResponse | HTMLResponse:
    """A file of the report; before the first one, what makes it. 404 for a file that the report lacks."""
    if (place := _place(file or FIRST_FILE)).is_file():
        return FileResponse(place)
    if not _place(FIRST_FILE).is_file():
        return HTMLResponse(START.format(style=STYLE.read_text(), dags=_dags()))
    raise HTTPException(404, f"{file} is not in the report; windrow report makes it again")


def _dags() -> str:
    """Links to the pages of the streams' DAGs. The tab of a DAG shows this page within Airflow's."""
    names = map(escape, registry.streams())
    return ", ".join(f'<a target="_top" href="{address(f"../dags/{name}")}">{name}</a>' for name in names)


def _place(file: str) -> Path:
    """Of a file in the folder of the report. 404 for what is elsewhere."""
    folder = config.load().report.resolve()
    place = (folder / file).resolve()
    if not place.is_relative_to(folder):
        raise HTTPException(404, f"{file} is not in the report")
    return place
