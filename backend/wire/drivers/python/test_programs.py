"""psql and pgbench through the wire port, as they come with PostgreSQL."""

import re
import subprocess

import psycopg
import pytest

PIPELINE = r"""
\set id random(1, 1000)
\startpipeline
begin;
update programs_accounts set balance = balance + 1 where id = :id;
select balance from programs_accounts where id = :id;
end;
\endpipeline
"""


def psql(script):
    """What it says of a script, which must not fail."""
    return subprocess.run(
        ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"],
        input=script,
        text=True,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout


def test_psql_copies_and_describes(table, tmp_path):
    table("programs_copied", "id int, name text")
    file = tmp_path / "rows"
    file.write_text("".join(f"{n}\tname {n}\n" for n in range(50_000)))
    said = psql(rf"""
\copy programs_copied from '{file}'
select count(*), max(id) from programs_copied;
\copy (select * from programs_copied order by id) to '{file}.out'
select id, name from programs_copied \gdesc
\d programs_copied
""")
    assert said.startswith("50000|49999\nid|integer\nname|text\n")
    assert (tmp_path / "rows.out").read_text() == file.read_text()


def test_psql_takes_large_objects_in_and_out(tmp_path):
    file = tmp_path / "object"
    file.write_bytes(bytes(range(256)) * 20_000)
    said = psql(f"\\lo_import '{file}'\n\\echo :LASTOID\n")
    number = int(said.split()[-1])
    psql(f"\\lo_export {number} '{file}.out'\n\\lo_unlink {number}\n")
    assert (tmp_path / "object.out").read_bytes() == file.read_bytes()


def test_psql_goes_on_after_an_error_and_rolls_back_to_it():
    said = subprocess.run(
        ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_ROLLBACK=on"],
        input="begin;\nselect 1;\nselect 1/0;\nselect 2;\ncommit;\nselekt;\nselect 3;\n",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert said.stdout.split() == ["1", "2", "3"]
    assert "division by zero" in said.stderr and "selekt" in said.stderr


@pytest.mark.parametrize("protocol", ["simple", "extended", "prepared", "pipeline"])
def test_pgbench(table, tmp_path, protocol):
    table("programs_accounts", "id int primary key, balance bigint not null")
    psql("insert into programs_accounts select n, 0 from generate_series(1, 1000) n")
    script = tmp_path / "script.sql"
    script.write_text(PIPELINE if protocol == "pipeline" else re.sub(r"\\(start|end)pipeline\n", "", PIPELINE))
    # a thread each: it prepares without looking at its other clients, who may hold all connections in transactions
    mode = "extended" if protocol == "pipeline" else protocol
    subprocess.run(
        ["pgbench", "-n", "-M", mode, "-c", "8", "-j", "8", "-t", "50", "-f", script],
        capture_output=True,
        check=True,
        timeout=60,
    )
    with psycopg.connect() as client:
        assert client.execute("select sum(balance) from programs_accounts").fetchone()[0] == 8 * 50
