"""Works with the client of openapi-generator, the package `ploidy_pydantic`. ADDRESS, KEY, ACCOUNT and RECORDS are in the environment."""

import base64
import json
import os
import time
from urllib.parse import parse_qs, urlsplit

from ploidy_pydantic import (
    AccountsApi,
    AnalyticsApi,
    AnalyzeBody,
    ApiClient,
    AuditApi,
    CohortsApi,
    Comparison,
    Configuration,
    CreateCohortBody,
    CreateFileBody,
    CreateGroupBody,
    CreatePolicyBody,
    CreateProjectBody,
    DataLakeApi,
    FilesApi,
    GenomicsApi,
    GroupsApi,
    IngestionApi,
    PoliciesApi,
    Policy,
    PolicyRulesValue,
    ProjectsApi,
    QueryPreview,
    QueryRowsBody,
    ReplacePolicyBody,
    Rule,
    ServiceApi,
    StartedQuery,
    StartIngestionBody,
    StartQueryBody,
    UpdateProjectBody,
    UsersApi,
    ValueComparison,
)
from ploidy_pydantic.exceptions import (
    BadRequestException,
    ConflictException,
    NotFoundException,
    UnauthorizedException,
)

account = os.environ["ACCOUNT"]


def client_with(key):
    return ApiClient(Configuration(host=os.environ["ADDRESS"], access_token=key))


client = client_with(os.environ["KEY"])
stranger = client_with(None)


def ended(read):
    """Reads a record until it has ended."""
    for _ in range(600):
        record = read()
        if record.state not in ("queued", "running"):
            return record
        time.sleep(0.1)
    raise SystemExit("no end after a minute")


def refusal(kind, call, *words, **fields):
    """Returns the problem of a call that is refused with an exception of this kind."""
    try:
        call(*words, **fields)
    except kind as refused:
        return refused.data
    raise SystemExit(f"{call.__name__} was not refused")


def signature_in(address):
    """Finds the id and the signed parameters in an address of bytes."""
    parts = urlsplit(address)
    signed = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return {"id": parts.path.split("/")[-1], **signed}


assert ServiceApi(stranger).get_version().version
assert refusal(UnauthorizedException, UsersApi(stranger).get_me).code == "UNAUTHENTICATED"
assert UsersApi(client).get_me().profile.email
assert account in [one.id for one in AccountsApi(client).list_accounts().accounts]

projects = ProjectsApi(client)
body = CreateProjectBody(name="Pydantic", description="By a generated client")
project = projects.create_project(account, body).id
changed = projects.update_project(project, UpdateProjectBody(description="Changed"))
assert (changed.name, changed.description) == ("Pydantic", "Changed")
assert refusal(ConflictException, projects.create_project, account, body).code == "PROJECT_EXISTS"

with open(os.environ["RECORDS"], "rb") as file:
    content = file.read()
files = FilesApi(client)
upload = files.create_file(
    account, CreateFileBody(name="records/p.ndjson", dataset_id=project, size=len(content))
)
stored = FilesApi(stranger).transfer_upload(body=content, **signature_in(upload.upload_url))
assert stored.size == len(content)
listed = files.list_files(account, dataset_id=project).items
assert [(one.name, one.size) for one in listed] == [("records/p.ndjson", len(content))]

ingestions = IngestionApi(client)
ingestion = ingestions.start_ingestion(StartIngestionBody(dataset_id=project, file_id=upload.id))
finished = ended(lambda: ingestions.get_ingestion(ingestion.id))
assert finished.state == "succeeded" and finished.found.tables["patient"] > 0, finished

lake = DataLakeApi(client)
assert "patient" in [one.table for one in lake.list_tables(project).schemas]
sql = "SELECT patient_id FROM patient ORDER BY patient_id"
statement = StartQueryBody(query=sql, dataset_id=project, output_file_name="result.csv")
preview = lake.start_query(statement, dry_run=True).actual_instance
assert isinstance(preview, QueryPreview), preview
query = lake.start_query(statement).actual_instance
assert isinstance(query, StartedQuery), query
result = ended(lambda: lake.get_query(query.query_id))
assert result.state == "succeeded" and base64.b64decode(result.query_string).decode() == sql
# This generator reads one content type of an answer: bytes are behind their address, or in the answer as it came.
found = files.get_file(result.result_file_id, account, include="downloadUrl")
csv = FilesApi(stranger).transfer_file(**signature_in(found.download_url)).decode()
assert csv == files.get_file_without_preload_content(result.result_file_id, account).data.decode()
assert csv.splitlines()[0] == "patient_id" and len(csv.splitlines()) == result.row_count + 1
rows = lake.query_rows(QueryRowsBody(query=sql, dataset_id=project)).rows
assert [row[0] for row in rows] == csv.splitlines()[1:]

cohorts = CohortsApi(client)
cohort = cohorts.create_cohort(
    account, CreateCohortBody(name="Some", owner_project=project, subject_ids=[rows[0][0]])
)
assert cohorts.get_cohort(cohort.id, account).result_count == 1
question = AnalyzeBody.from_dict({"cohortId": cohort.id, "query": {"target": "patient", "where": {}}})
assert AnalyticsApi(client).analyze(question).data
assert project in [one.id for one in GenomicsApi(client).search_datasets(account).datasets]

group = GroupsApi(client).create_group(account, CreateGroupBody(name="Pydantic"))
includes = Comparison(ValueComparison(comparison="includes", value=group.id))
document = Policy(rules={"readMaskedData": PolicyRulesValue([Rule(user_groups=includes)])})
policies = PoliciesApi(client)
policy = policies.create_policy(account, CreatePolicyBody(name="Pydantic", policy=document))
assert policy.groups[0].name == "Pydantic"
stored = json.loads(policies.get_policy_without_preload_content(policy.id, account).data)
rule = {"user.groups": {"comparison": "includes", "value": group.id}}
assert stored["policy"]["rules"] == {"readMaskedData": [rule]}
# This generator reads no union inside a list inside a union: what it would write back is refused, and allows nobody more.
lossy = ReplacePolicyBody(policy=policies.get_policy(policy.id, account).policy)
back = {"policy_id": policy.id, "service_account": account, "replace_policy_body": lossy}
assert refusal(BadRequestException, policies.replace_policy, **back).code == "INVALID_INPUT"
policies.delete_policy(policy.id, account)
events = AuditApi(client).list_audit_events(account, page_size=5).items
assert events[0].outcome == "done"
projects.delete_project(project, force=True)
assert refusal(NotFoundException, projects.get_project, project).code == "NOT_FOUND"
