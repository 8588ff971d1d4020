"""Reads a project with two FHIR clients of others, unmodified: prints what they found."""

import json
import os

from fhirclient import server
from fhirclient.models import bundle, observation, patient
from fhirpy import SyncFHIRClient

base, key = os.environ["BASE"], os.environ["KEY"]


def with_fhirclient():
    """fhirclient refuses a whole page for one element that its models lack."""
    session = server.FHIRServer(None, base_uri=base + "/")
    session.session.headers["Authorization"] = f"Bearer {key}"
    security = session.capabilityStatement.rest[0].security
    search = patient.Patient.where({"gender": "female,male", "_count": "3"})
    found = search.perform_resources_iter(session)
    # A page may have an OperationOutcome beside its matches.
    pages = [one.id for one in found if one.resource_type == "Patient"]
    one = patient.Patient.read(pages[0], session)
    found = bundle.Bundle.read_from(f"Patient/{one.id}/$everything", session)
    observed = observation.Observation.where({"patient": one.id, "_include": "Observation:subject"})
    return {
        "addresses": [part.url for part in security.extension[0].extension],
        "patients": sorted(pages),
        "everything": len(found.entry),
        "observed": sorted({entry.resource.resource_type for entry in observed.perform(session).entry or []}),
    }


def with_fhirpy():
    client = SyncFHIRClient(base, authorization=f"Bearer {key}")
    patients = client.resources("Patient").search(gender="female,male").sort("-birthdate").limit(2)
    found = patients.fetch_all()
    one = client.reference("Patient", found[0]["id"]).to_resource()
    conditions = client.resources("Condition").search(patient=one["id"])
    return {
        "patients": sorted(resource["id"] for resource in found),
        "births": [resource["birthDate"] for resource in found],
        "conditions": [conditions.count(), len(conditions.fetch_all())],
        "single": client.resources("Patient").search(_id=one["id"]).get()["id"] == one["id"],
    }


print(json.dumps({"fhirclient": with_fhirclient(), "fhirpy": with_fhirpy()}))
