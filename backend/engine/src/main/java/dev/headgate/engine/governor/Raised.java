package dev.headgate.engine.governor;

/** An alarm from outside of the engine. */
public record Raised(PoolStatus.Severity severity, String message) {}
