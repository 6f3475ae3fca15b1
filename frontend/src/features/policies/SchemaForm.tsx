/**
 * A form drawn from a plugin's JSON Schema by rjsf, in our own field shape. It does not judge: the service's plan does,
 * and its verdicts are shown at the fields by JSON pointer, so there is one set of rules and not two.
 */
import Form from "@rjsf/core";
import type {
  BaseInputTemplateProps,
  FieldTemplateProps,
  ObjectFieldTemplateProps,
  RJSFSchema,
  WidgetProps,
} from "@rjsf/utils";
import { customizeValidator } from "@rjsf/validator-ajv8";
import Ajv2020 from "ajv/dist/2020";
import { violationAt } from "@/api/problem";
import type { Violation } from "@/api/types";

/** Plain data only: rjsf takes all functions for equal and would not draw again when one changes. */
type Context = { base: Record<string, unknown> | undefined; violations: readonly Violation[] };

const faultAt = (registry: { formContext: unknown }, pointer: string) =>
  violationAt((registry.formContext as Context).violations, pointer);

const validator = customizeValidator({ AjvClass: Ajv2020 });

type Props = Context & {
  /** Unique on the page; the ids of the fields begin with it. */
  id: string;
  schema: unknown;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
};

export function SchemaForm({ id, schema, value, base, violations, onChange }: Props) {
  return (
    <Form
      tagName="div"
      idPrefix={id}
      schema={schema as RJSFSchema}
      formData={value}
      validator={validator}
      noValidate
      showErrorList={false}
      formContext={{ base, violations } satisfies Context}
      experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipDefaults", constAsDefaults: "never" }}
      templates={TEMPLATES}
      widgets={WIDGETS}
      uiSchema={{ "ui:submitButtonOptions": { norender: true } }}
      onChange={({ formData }) => onChange(clean(formData ?? {}))}
    />
  );
}

const TEMPLATES = {
  FieldTemplate,
  ObjectFieldTemplate: ({ properties }: ObjectFieldTemplateProps) => properties.map((p) => p.content),
  BaseInputTemplate: Input,
};
const WIDGETS = { SelectWidget: Choice, CheckboxWidget: Check };

function FieldTemplate({
  id,
  label,
  children,
  schema,
  rawDescription,
  fieldPathId,
  registry,
  hidden,
  formData,
}: FieldTemplateProps) {
  const path = fieldPathId.path as (string | number)[];
  if (hidden) return null;
  if (path.length === 0 || schema.type === "object") return children;
  const { base } = registry.formContext as Context;
  const fault = faultAt(registry, `/${path.join("/")}`);
  const was = wasAt(base, path, formData);
  return (
    <div className="field">
      <label htmlFor={id} title={rawDescription}>
        {path.join(".") || label}
      </label>
      <span className={`inp ${was !== undefined ? "changed" : ""} ${fault ? "faulty" : ""}`}>
        {children}
        {was !== undefined && <span className="was">was {was}</span>}
      </span>
      <span className={fault ? "fault" : "sr-only"} id={`${id}__description`} role={fault ? "alert" : undefined}>
        {fault ?? rawDescription}
      </span>
    </div>
  );
}

/** What the value was in the revision that the draft was begun on; undefined when it is the same. */
function wasAt(base: Context["base"], path: readonly (string | number)[], now: unknown): string | undefined {
  if (!base) return undefined;
  const before = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], base);
  if (JSON.stringify(now) === JSON.stringify(before)) return undefined;
  return before === undefined ? "unset" : String(before);
}

function described(id: string, fault: unknown) {
  return { "aria-describedby": `${id}__description`, "aria-invalid": fault ? (true as const) : undefined };
}

function Input({ id, value, schema, onChange, registry, disabled, readonly }: BaseInputTemplateProps) {
  const number = schema.type === "number" || schema.type === "integer";
  const fault = faultAt(registry, `/${id.split("_").slice(1).join("/")}`);
  return (
    <input
      id={id}
      name={id}
      type="text"
      inputMode={number ? "decimal" : "text"}
      autoComplete="off"
      value={value ?? ""}
      placeholder={schema.default === undefined ? "" : String(schema.default)}
      disabled={disabled}
      readOnly={readonly}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
      {...described(id, fault)}
    />
  );
}

function Choice({ id, value, options, onChange, required, schema }: WidgetProps) {
  const preset = schema.default === undefined ? "" : ` (${schema.default})`;
  return (
    <select
      id={id}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
      {...described(id, false)}
    >
      {(!required || value === undefined) && <option value="">{required ? "choose…" : `default${preset}`}</option>}
      {options.enumOptions?.map((option) => (
        <option key={String(option.value)} value={String(option.value)}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function Check({ id, value, onChange }: WidgetProps) {
  return (
    <input
      id={id}
      type="checkbox"
      checked={value ?? false}
      onChange={(event) => onChange(event.target.checked)}
      {...described(id, false)}
    />
  );
}

/** An emptied field is one that is not given. */
function clean(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined));
}
