import type { InputHTMLAttributes, ReactNode } from "react";
import { useId } from "react";

type FieldProps = {
  label: ReactNode;
  help?: ReactNode;
  fault?: string;
  /** What the value was before it was changed. */
  was?: string;
  children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
};

/** Label, control, what it was, what is wrong with it: the one shape of every field. */
export function Field({ label, help, fault, was, children }: FieldProps) {
  const id = useId();
  const note = `${id}-note`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
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

export function TextField({ label, help, fault, was, ...input }: TextFieldProps) {
  return (
    <Field label={label} help={help} fault={fault} was={was}>
      {(props) => <input {...input} {...props} />}
    </Field>
  );
}
