"""Works with the client of openapi-python-client, the package `ploidy_attrs`. ADDRESS, KEY, ACCOUNT and RECORDS are in the environment."""

import base64
import os
import time
from io import BytesIO
from urllib.parse import parse_qs, urlsplit

from ploidy_attrs import AuthenticatedClient, Client
from ploidy_attrs.api.accounts import list_accounts
from ploidy_attrs.api.analytics import analyze
from ploidy_attrs.api.audit import list_audit_events
from ploidy_attrs.api.cohorts import create_cohort, get_cohort
from ploidy_attrs.api.data_lake import get_query, list_tables, query_rows, start_query
from ploidy_attrs.api.files import create_file, get_file, list_files, transfer_file, transfer_upload
from ploidy_attrs.api.genomics import search_datasets
from ploidy_attrs.api.groups import create_group
from ploidy_attrs.api.ingestion import get_ingestion, start_ingestion
from ploidy_attrs.api.policies import create_policy, delete_policy
from ploidy_attrs.api.projects import create_project, delete_project, get_project, update_project
from ploidy_attrs.api.service import get_version
from ploidy_attrs.api.users import get_me
from ploidy_attrs.models import (
    AnalyzeBody,
    CreateCohortBody,
    CreateFileBody,
    CreateGroupBody,
    CreatePolicyBody,
    CreateProjectBody,
    GetFileInclude,
    Problem,
    QueryRowsBody,
    SearchDatasetsBody,
    StartedQuery,
    StartIngestionBody,
    StartQueryBody,
    UpdateProjectBody,
)
from ploidy_attrs.types import File

account = os.environ["ACCOUNT"]
client = AuthenticatedClient(base_url=os.environ["ADDRESS"], token=os.environ["KEY"])
stranger = Client(base_url=os.environ["ADDRESS"])


def ended(read):
    """Reads a record until it has ended."""
    for _ in range(600):
        record = read()
        if record.state not in ("queued", "running"):
            return record
        time.sleep(0.1)
    raise SystemExit("no end after a minute")


def signature_in(address):
    """Finds the id and the signed parameters in an address of bytes."""
    parts = urlsplit(address)
    return parts.path.split("/")[-1], {name: values[0] for name, values in parse_qs(parts.query).items()}


assert get_version.sync(client=stranger).version
assert get_me.sync(client=client).profile.email
assert account in [one.id for one in list_accounts.sync(client=client).accounts]

body = CreateProjectBody(name="Attrs", description="By a generated client")
project = create_project.sync(client=client, service_account=account, body=body).id
changed = update_project.sync(client=client, id=project, body=UpdateProjectBody(description="Changed"))
assert changed.description == "Changed"
again = create_project.sync_detailed(client=client, service_account=account, body=body)
assert again.status_code == 409 and isinstance(again.parsed, Problem) and again.parsed.code == "PROJECT_EXISTS"

with open(os.environ["RECORDS"], "rb") as file:
    content = file.read()
upload = create_file.sync(
    client=client,
    service_account=account,
    body=CreateFileBody(name="records/p.ndjson", dataset_id=project, size=len(content)),
)
identity, signed = signature_in(upload.upload_url)
stored = transfer_upload.sync_detailed(
    client=stranger, id=identity, body=File(payload=BytesIO(content)), **signed
)
assert stored.status_code == 200, stored
files = list_files.sync(client=client, service_account=account, dataset_id=project).items
assert [(one.name, one.size) for one in files] == [("records/p.ndjson", len(content))]

ingestion = start_ingestion.sync(client=client, body=StartIngestionBody(dataset_id=project, file_id=upload.id))
finished = ended(lambda: get_ingestion.sync(client=client, id=ingestion.id))
assert finished.state == "succeeded" and finished.found.tables["patient"] > 0, finished
assert "patient" in [one.table for one in list_tables.sync(client=client, dataset_id=project).schemas]

sql = "SELECT patient_id FROM patient ORDER BY patient_id"
query = start_query.sync(
    client=client,
    body=StartQueryBody(query=sql, dataset_id=project, output_file_name="result.csv"),
)
assert isinstance(query, StartedQuery)
result = ended(lambda: get_query.sync(client=client, query_id=query.query_id))
assert result.state == "succeeded" and base64.b64decode(result.query_string).decode() == sql
# This generator reads one content type of an answer: the bytes are behind their address.
found = get_file.sync(
    client=client, service_account=account, id=result.result_file_id, include=GetFileInclude.DOWNLOADURL
)
identity, signed = signature_in(found.download_url)
csv = transfer_file.sync_detailed(client=stranger, id=identity, **signed).content.decode()
assert csv.splitlines()[0] == "patient_id" and len(csv.splitlines()) == result.row_count + 1
rows = query_rows.sync(client=client, body=QueryRowsBody(query=sql, dataset_id=project)).rows
assert [row[0] for row in rows] == csv.splitlines()[1:]

cohort = create_cohort.sync(
    client=client,
    service_account=account,
    body=CreateCohortBody(name="Some", owner_project=project, subject_ids=[rows[0][0]]),
)
assert get_cohort.sync(client=client, service_account=account, cohort_id=cohort.id).result_count == 1
question = AnalyzeBody.from_dict({"cohortId": cohort.id, "query": {"target": "patient", "where": {}}})
assert analyze.sync(client=client, body=question).data.to_dict()
datasets = search_datasets.sync(client=client, account=account, body=SearchDatasetsBody()).datasets
assert project in [one.id for one in datasets]

group = create_group.sync(client=client, service_account=account, body=CreateGroupBody(name="Attrs"))
rule = {"user.groups": {"comparison": "includes", "value": group.id}}
policy = create_policy.sync(
    client=client,
    service_account=account,
    body=CreatePolicyBody.from_dict({"name": "Attrs", "policy": {"rules": {"readMaskedData": [rule]}}}),
)
assert policy.policy.to_dict()["rules"]["readMaskedData"] == [rule] and policy.groups[0].name == "Attrs"
gone = delete_policy.sync_detailed(client=client, service_account=account, policy_id=policy.id)
assert gone.status_code == 204
events = list_audit_events.sync(client=client, service_account=account, page_size=5).items
assert events[0].outcome == "done"
assert delete_project.sync_detailed(client=client, id=project, force=True).status_code == 204
assert get_project.sync_detailed(client=client, id=project).status_code == 404
assert get_me.sync_detailed(client=AuthenticatedClient(os.environ["ADDRESS"], "wrong")).status_code == 401
