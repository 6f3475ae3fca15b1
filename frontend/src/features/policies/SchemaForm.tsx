/**
 * A form that rjsf draws from a plugin's JSON Schema, in our own field layout. It does not validate: the service's
 * plan does, and the form shows its violations at the fields by JSON pointer. So there is only one set of rules.
 */
import Form from "@rjsf/core";
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
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
import { Key } from "@/ui/Field";
import { Help } from "@/ui/Help";

/** Plain data only: rjsf treats all functions as equal and would not render again when one changes. */
type Context = { base: Record<string, unknown> | undefined; violations: readonly Violation[] };

const faultAt = (registry: { formContext: unknown }, pointer: string) =>
  violationAt((registry.formContext as Context).violations, pointer);

const validator = customizeValidator({ AjvClass: Ajv2020 });

type Props = Context & {
  /** Unique on the page. It is the prefix of the fields' ids. */
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
  ArrayFieldTemplate: List,
  ArrayFieldItemTemplate: ListItem,
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
  const key = path.at(-1);
  if (schema.type === "object") {
    if (typeof key !== "string") return children; // the whole form, or an item of a list, which has its number
    return (
      <fieldset className="list">
        <legend>{label}</legend>
        <Key name={key} title={label} />
        {children}
      </fieldset>
    );
  }
  const { base } = registry.formContext as Context;
  const pointer = `/${path.join("/")}`;
  const groups = (schema.items as RJSFSchema | undefined)?.type === "object";
  // a group shows only its own faults; its fields show theirs
  const fault = groups
    ? violationAt(
        (registry.formContext as Context).violations.filter((v) => v.pointer === pointer),
        pointer,
      )
    : faultAt(registry, pointer);
  if (schema.type === "array")
    return (
      <fieldset className="list" aria-describedby={`${id}__description`}>
        <legend>{label}</legend>
        <Key name={key} title={label} />
        {rawDescription && <Help label={`About ${label}`} text={rawDescription} />}
        {children}
        <span className={fault ? "fault" : "sr-only"} id={`${id}__description`} role={fault ? "alert" : undefined}>
          {fault ?? rawDescription}
        </span>
      </fieldset>
    );
  const was = wasAt(base, path, formData);
  return (
    <div className="field">
      <span className="label">
        <label htmlFor={id}>{label}</label> {rawDescription && <Help label={`About ${label}`} text={rawDescription} />}
        <Key name={key} title={label} />
      </span>
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

function List({ items, canAdd, onAddClick, title }: ArrayFieldTemplateProps) {
  return (
    <>
      {items}
      {canAdd && (
        <button type="button" className="btn small" onClick={onAddClick}>
          Add to {title}
        </button>
      )}
    </>
  );
}

function ListItem({ children, index, buttonsProps }: ArrayFieldItemTemplateProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: nested fieldsets would be announced twice.
    <div className="list-item" role="group" aria-label={String(index + 1)}>
      <div className="row">
        <span className="label num">{index + 1}</span>
        <span className="grow" />
        {buttonsProps.hasRemove && (
          <button
            type="button"
            className="btn bare"
            aria-label={`Remove ${index + 1}`}
            onClick={buttonsProps.onRemoveItem}
          >
            ✕
          </button>
        )}
      </div>
      {children}
    </div>
  );
}

/** The value in the draft's base revision; undefined if it is unchanged. */
function wasAt(base: Context["base"], path: readonly (string | number)[], now: unknown): string | undefined {
  if (!base || path.some((step) => typeof step === "number")) return undefined;
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
      placeholder={schema.default === undefined ? "not set" : String(schema.default)}
      disabled={disabled}
      readOnly={readonly}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
      {...described(id, fault)}
    />
  );
}

function Choice({ id, value, options, onChange, required, schema, multiple }: WidgetProps) {
  if (multiple) return <Choices id={id} value={value} options={options} onChange={onChange} />;
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

/** Checkboxes for several of a few options. No choice means that the field is not set. */
function Choices({ id, value, options, onChange }: Pick<WidgetProps, "id" | "value" | "options" | "onChange">) {
  const chosen = new Set<unknown>(Array.isArray(value) ? value : []);
  const all = options.enumOptions ?? [];
  const toggled = (option: unknown, on: boolean) => {
    const now = all.map((each) => each.value).filter((each) => (each === option ? on : chosen.has(each)));
    onChange(now.length === 0 ? undefined : now);
  };
  return (
    <div className="row wrap choices">
      {all.map((option) => (
        <label key={String(option.value)}>
          <input
            id={`${id}-${option.value}`}
            type="checkbox"
            checked={chosen.has(option.value)}
            onChange={(event) => toggled(option.value, event.target.checked)}
          />{" "}
          {option.label}
        </label>
      ))}
    </div>
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

/** Removes empty fields: an empty field means that the parameter is not set. */
function clean(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined));
}
