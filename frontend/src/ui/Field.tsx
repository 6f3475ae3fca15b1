import type { InputHTMLAttributes, ReactNode } from "react";
import { useId } from "react";

/** What files and the API call something, small, for those who write that. Nothing where its title is the name. */
export function Key({ name, title }: { name: string | number | undefined; title?: ReactNode }) {
  return name === undefined || name === title ? null : <code className="key">{name}</code>;
}

type FieldProps = {
  label: ReactNode;
  /** Its name in YAML. */
  name?: string;
  help?: ReactNode;
  fault?: string;
  /** The value in the base revision, if the draft changes it. */
  was?: string;
  children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
};

/** The layout of every form field: label, control, former value, fault. */
export function Field({ label, name, help, fault, was, children }: FieldProps) {
  const id = useId();
  const note = `${id}-note`;
  return (
    <div className="field">
      <span className="label">
        <label htmlFor={id}>{label}</label>
        <Key name={name} title={label} />
      </span>
      <span className={`inp ${was !== undefined ? "changed" : ""} ${fault ? "faulty" : ""}`}>
        {children({
          id,
          "aria-describedby": fault || help ? note : undefined,
          "aria-invalid": fault ? true : undefined,
        })}
        {was !== undefined && <span className="was">was {was}</span>}
      </span>
      {fault ? (
        <span className="fault" id={note} role="alert">
          {fault}
        </span>
      ) : (
        help && (
          <span className="help" id={note}>
            {help}
          </span>
        )
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, "children"> & Omit<InputHTMLAttributes<HTMLInputElement>, "id">;

export function TextField({ label, name, help, fault, was, ...input }: TextFieldProps) {
  return (
    <Field label={label} name={name} help={help} fault={fault} was={was}>
      {(props) => <input {...input} {...props} />}
    </Field>
  );
}
