"""Prints phenopackets whose fields all have values of their own, by the classes of the schema."""

import random

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToJson
from phenopackets.schema.v2 import Cohort, Family, Phenopacket

chance = random.Random(13)
count = 0


def unique():
    global count
    count += 1
    return count


def fill(message, depth, name=""):
    """Fills a message: one field of each choice, up to two entries of each list."""
    kind = message.DESCRIPTOR
    if kind.full_name == "google.protobuf.Timestamp":
        message.seconds = 300_000_000 + unique() * 86_401
        return
    if kind.name == "OntologyClass":
        prefix = chance.choice(["HP", "MONDO", "UBERON", "NCIT", "LOINC", "XYZ"])
        message.id, message.label = f"{prefix}:{7_000_000 + unique()}", f"label {unique()}"
        return
    chosen = {choice.name: chance.choice(choice.fields) for choice in kind.oneofs}
    for field in kind.fields:
        choice = field.containing_oneof
        if choice is not None and chosen[choice.name] is not field:
            continue
        if field.name in ("meta_data", "taxonomy") or (depth > 0 and chance.random() < 0.1):
            continue
        if field.message_type is not None:
            if depth > 9 or field.message_type.GetOptions().map_entry:
                continue
            if field.is_repeated:
                for _ in range(chance.randint(1, 2)):
                    fill(getattr(message, field.name).add(), depth + 1, field.name)
            else:
                getattr(message, field.name).SetInParent()
                fill(getattr(message, field.name), depth + 1, field.name)
            continue
        value = scalar(field, message)
        if field.is_repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)


def scalar(field, message):
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return chance.choice([one.number for one in field.enum_type.values])
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        if field.name == "iso8601duration":
            return f"P{unique()}D"
        return f"text{unique()}"
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return 500_000 + unique() + 0.5
    return 800_000 + unique()


def subject_of(packet):
    for sample in packet.biosamples:
        sample.individual_id = packet.subject.id
    packet.meta_data.phenopacket_schema_version = "2.0.2"


for kind, packets in ((Phenopacket, lambda one: [one]), (Family, lambda one: [one.proband, *one.relatives]), (Cohort, lambda one: list(one.members))):
    for _ in range(40):
        document = kind()
        fill(document, 0)
        for packet in packets(document):
            packet.subject.id = packet.subject.id or f"text{unique()}"
            subject_of(packet)
        document.meta_data.phenopacket_schema_version = "2.0.2"
        print(MessageToJson(document, indent=None))
