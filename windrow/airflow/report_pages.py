"""The pages of `windrow report` in Airflow's server, for users who may see its assets: from a page of Airflow a browser
follows no link to a file."""

from html import escape
from pathlib import Path

from airflow.api_fastapi.core_api.security import requires_access_asset
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from windrow.airflow.operators import address
from windrow.pipelines import config, flow
from windrow.pipelines.report.words import FIRST_FILE, stream_file

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


@app.get("/{file:path}")
def page(file: str) -> FileResponse:
    """A file of the report. 404 where there is none, with what makes it."""
    place = _place(file or FIRST_FILE)
    if not place.is_file():
        missing = f"{file} is not in the report" if _place(FIRST_FILE).is_file() else "There is no report yet"
        raise HTTPException(404, f"{missing}; the DAG {flow.REPORT_DAG} makes it, or: windrow report")
    return FileResponse(place)


def _place(file: str) -> Path:
    """Of a file in the folder of the report. 404 for what is elsewhere."""
    folder = config.load().report.resolve()
    place = (folder / file).resolve()
    if not place.is_relative_to(folder):
        raise HTTPException(404, f"{file} is not in the report")
    return place
