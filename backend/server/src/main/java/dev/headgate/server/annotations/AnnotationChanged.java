package dev.headgate.server.annotations;

import java.time.Instant;

/** An annotation was made or deleted. Published on the request's thread, after the change is stored. */
public record AnnotationChanged(Instant time, Annotation annotation, boolean deleted) {}
