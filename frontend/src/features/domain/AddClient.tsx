import { type FormEvent, useState } from "react";
import { useAddClient } from "@/api/clients";
import { sentence } from "@/api/problem";
import type { NewClient } from "@/api/types";
import { TextField } from "@/ui/Field";
import { Modal } from "@/ui/layers";
import { Copied } from "./Copied";
import { nameFault } from "./clientWords";

type Props = { domain: string; opened: boolean; onClose: () => void };

/** Asks for a name, then shows the password once. */
export function AddClient({ domain, opened, onClose }: Props) {
  const add = useAddClient(domain);
  const [name, setName] = useState("");
  // Not before the answer: it has the password, which nobody sees again.
  const close = () => {
    if (add.isPending) return;
    add.reset(); // forgets the password
    setName("");
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(name.trim());
  };
  const fault = nameFault(add.error);
  return (
    <Modal
      opened={opened}
      onClose={close}
      size={560}
      title={add.data ? `${add.data.name} can connect` : `Add a client of ${domain}`}
      closeOnClickOutside={!add.data && !add.isPending}
    >
      {add.data ? (
        <Credentials client={add.data} onDone={close} />
      ) : (
        <form className="form" onSubmit={submit} noValidate>
          {add.isError && !fault && (
            <p className="note bad" role="alert">
              {sentence(add.error)}
            </p>
          )}
          <TextField
            label="Name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            fault={fault}
            placeholder="checkout-web"
            help="Letters, digits, “_”, “.” and “-”. The client connects as this user; Headgate makes its password."
            autoComplete="off"
            data-autofocus
          />
          <p className="row" style={{ marginTop: 16 }}>
            <button type="submit" className="btn pri" disabled={add.isPending}>
              {add.isPending ? "Adding…" : "Add the client"}
            </button>
            <button type="button" className="btn" disabled={add.isPending} onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </Modal>
  );
}

function Credentials({ client, onDone }: { client: NewClient; onDone: () => void }) {
  return (
    <div className="stack" style={{ gap: 12 }}>
      <p className="note warn" role="status">
        <b>This password is shown once.</b> Headgate does not store it, so copy it now.
      </p>
      <Copied label="password" text={client.password} />
      <Copied label="psql command" text={client.psql} />
      <dl className="facts">
        <dt>host, port</dt>
        <dd>
          {client.host}, {client.port}
        </dd>
        <dt>database</dt>
        <dd>{client.database}</dd>
        <dt>user</dt>
        <dd>{client.name}</dd>
      </dl>
      <p className="row">
        <button type="button" className="btn pri" onClick={onDone}>
          Done
        </button>
      </p>
    </div>
  );
}
