/**
 * The JSON shapes that REST and the stream share, as shown in docs/api.md. Each is a record that mirrors one shape and is
 * made from the engine's records by its {@code of}; nothing here decides anything. {@link dev.headgate.server.api.Scope} names
 * the domain or database that a path, an event or a stored fact is about.
 *
 * <p>Rules of all shapes: every field is present; one that may be null is annotated {@code @Nullable}; durations are
 * milliseconds with decimals and end in {@code Ms}; rates end in {@code PerSecond}. {@link
 * dev.headgate.server.api.RecordSchemas} carries the first two rules into the OpenAPI document, from which the
 * dashboard's types are generated.
 */
@NullMarked
package dev.headgate.server.api;

import org.jspecify.annotations.NullMarked;
