import { type DragEvent, useRef, useState } from "react";
import { useUploadPlugin } from "@/api/plugins";
import { sentence } from "@/api/problem";
import type { PolicyPlugin } from "@/api/types";
import { unfit } from "./versions";

type Props = { installed: readonly Pick<PolicyPlugin, "id" | "version">[] };

/**
 * Uploads a jar that is chosen or dropped. If the service refuses it, nothing is installed and the reason is shown. That one is
 * installed is said as long as it is.
 */
export function Upload({ installed }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const upload = useUploadPlugin();

  const send = (file: File | undefined) => {
    if (!file) return;
    const why = unfit(file);
    setFault(why);
    upload.reset();
    if (!why) upload.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  const { data: made } = upload;
  const isThere = installed.some(({ id, version }) => id === made?.id && version === made.version);
  const said = fault ?? (upload.isError ? sentence(upload.error) : null);
  return (
    <section
      className={`panel pad drop ${over ? "over" : ""}`}
      aria-label="Upload a plugin"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="row wrap" style={{ gap: 12 }}>
        <button type="button" className="btn" disabled={upload.isPending} onClick={() => picker.current?.click()}>
          {upload.isPending ? "Installing…" : "Upload a jar"}
        </button>
        <span className="muted grow" style={{ flexBasis: 240 }}>
          or drop it here. It is installed beside existing versions, and no set uses it until you move one. A plugin
          runs with all the rights of the service.
        </span>
        <input
          ref={picker}
          type="file"
          accept=".jar"
          hidden
          aria-label="Jar of a policy plugin"
          onChange={(event) => {
            send(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
      </div>
      {said && (
        <p className="note bad" role="alert" style={{ marginTop: 12 }}>
          {said}
        </p>
      )}
      {made && isThere && !said && (
        <p className="note good" role="status" style={{ marginTop: 12, overflowWrap: "anywhere" }}>
          {made.id} {made.version} is installed (SHA-256 {made.sha256}).
        </p>
      )}
    </section>
  );
}
