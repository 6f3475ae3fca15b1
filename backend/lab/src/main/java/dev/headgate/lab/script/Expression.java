package dev.headgate.lab.script;

/** Computes a value: a {@code Long}, a {@code Double} or a {@code String}. Safe for use by several threads. */
@FunctionalInterface
interface Expression {

    /** @throws ArithmeticException if there is no value; the message says why */
    Object value(Variables variables);
}
