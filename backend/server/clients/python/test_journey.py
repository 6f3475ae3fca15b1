"""One journey with the client that openapi-python-client generates, against a service with its demo."""

import os

import pytest
from headgate_client import AuthenticatedClient
from headgate_client.api.domains import list_domains, read_domain
from headgate_client.api.history import list_domain_decisions
from headgate_client.api.policies import put_domain_policies, read_domain_policies
from headgate_client.models import DecisionPage, Domain, DomainsList, PolicySetRevision, Problem
from headgate_client.types import UNSET

DOMAIN = "gallery"


@pytest.fixture
def client():
    with AuthenticatedClient(base_url=os.environ["HEADGATE_URL"], token=os.environ["HEADGATE_TOKEN"]) as client:
        yield client


def test_a_list_is_followed_page_by_page(client):
    names, cursor = [], UNSET
    while cursor is not None:
        page = list_domains.sync(client=client, limit=1, cursor=cursor)
        assert isinstance(page, DomainsList)
        assert len(page.items) <= 1
        names += [domain.name for domain in page.items]
        cursor = page.next_cursor
    assert names == ["auction", "bank", "gallery"]


def test_a_domain_is_read(client):
    domain = read_domain.sync(DOMAIN, client=client)
    assert isinstance(domain, Domain)
    assert domain.pool.domain == DOMAIN
    assert domain.wire.max_clients > 0


def test_what_is_not_there_is_a_problem(client):
    answer = read_domain.sync_detailed("nobody", client=client)
    assert answer.status_code == 404
    assert isinstance(answer.parsed, Problem)
    assert answer.parsed.type_.endswith("/not-found")


def test_a_set_is_put_once_for_each_revision_and_the_stale_one_is_told(client):
    before = read_domain_policies.sync_detailed(DOMAIN, client=client)
    assert isinstance(before.parsed, PolicySetRevision)
    changed = before.parsed.policy_set
    changed.when_exhausted.depth += 1
    put = put_domain_policies.sync(DOMAIN, client=client, body=changed, if_match=before.headers["ETag"])
    assert isinstance(put, PolicySetRevision)
    assert put.revision == before.parsed.revision + 1
    changed.when_exhausted.depth += 1
    stale = put_domain_policies.sync_detailed(DOMAIN, client=client, body=changed, if_match=before.headers["ETag"])
    assert stale.status_code == 412
    assert isinstance(stale.parsed, Problem)
    assert stale.parsed.current_revision == put.revision


def test_decisions_are_read(client):
    page = list_domain_decisions.sync(DOMAIN, client=client, limit=2)
    assert isinstance(page, DecisionPage)
    assert page.items and all(decision.domain == DOMAIN for decision in page.items)
