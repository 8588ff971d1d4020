"""Uses tools as assistants in Python do. URL, KEY, PROJECT and BROWSER are in the environment."""

import asyncio
import os
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

url = os.environ["URL"]
project = os.environ["PROJECT"]


async def use(http: httpx2.AsyncClient) -> None:
    async with Client(streamable_http_client(url, http_client=http)) as client:
        tools = await client.list_tools()
        assert "query" in [tool.name for tool in tools.tools]
        arguments = {"project": project, "sql": "SELECT count(*) FROM patient"}
        result = await client.call_tool("query", arguments)
        assert result.structured_content["data"]["rows"] == [[5]], result
        refused = await client.call_tool("query", {"project": project, "sql": "DROP TABLE patient"})
        assert refused.is_error


class Kept:
    """Tokens and client of the program."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def by_consent() -> OAuthClientProvider:
    returned = {}

    async def redirect(address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            answer = await browser.post(os.environ["BROWSER"], content=address)
        returned.update(parse_qs(urlsplit(answer.text).query))

    async def callback() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(
            code=returned["code"][0], state=returned["state"][0], iss=returned["iss"][0]
        )

    metadata = OAuthClientMetadata(
        client_name="Python client", redirect_uris=["http://127.0.0.1:33418/"]
    )
    return OAuthClientProvider(url, metadata, Kept(), redirect, callback)


async def main() -> None:
    headers = {"authorization": f"Bearer {os.environ['KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        await use(http)
    async with httpx2.AsyncClient(auth=await by_consent(), timeout=60) as http:
        await use(http)


asyncio.run(main())
