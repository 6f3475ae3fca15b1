// Holds every connection of the domain's pool, so that a test can say which of them the next transaction gets.
import pg from "pg";

const CONNECTIONS = 2;

export async function holdBackends() {
  const clients = new Map();
  for (let n = 0; n < CONNECTIONS; n++) {
    const client = new pg.Client();
    await client.connect();
    clients.set(await hold(client), client);
  }
  return {
    pids: [...clients.keys()],
    /** While the work lasts, this backend is the only one that is free. */
    async only(pid, work) {
      const client = clients.get(pid);
      await client.query("rollback");
      try {
        return await work();
      } finally {
        const taken = await hold(client);
        if (taken !== pid) {
          throw new Error(`expected backend ${pid} to be free, got ${taken}`);
        }
      }
    },
    async release() {
      for (const client of clients.values()) {
        await client.end();
      }
    },
  };
}

async function hold(client) {
  await client.query("begin");
  return (await client.query("select pg_backend_pid() as pid")).rows[0].pid;
}

/** Does the work once with each backend the only one that is free. */
export async function onEach(work) {
  const backends = await holdBackends();
  try {
    for (const pid of backends.pids) {
      await backends.only(pid, () => work(pid));
    }
  } finally {
    await backends.release();
  }
}

/** Waits until a request whose text has a mark in it sleeps. */
export async function untilAsleep(mark) {
  const client = new pg.Client();
  await client.connect();
  const asleep = "select 1 from pg_stat_activity where wait_event = 'PgSleep' and strpos(query, $1) > 0";
  while ((await client.query(asleep, [mark])).rowCount === 0);
  await client.end();
}
