package dev.headgate.server.history;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells the OpenAPI document what the kinds of decisions are. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Parameter(
        schema =
                @Schema(
                        type = "string",
                        allowableValues = {
                            "grew",
                            "shrank",
                            "held",
                            "refused",
                            "limits",
                            "policy",
                            "unjudged",
                            "degraded",
                            "recovered",
                            "quarantined",
                            "lent",
                            "reclaimed",
                            "alarm",
                            "cleared",
                            "paused",
                            "resumed",
                            "flushed",
                            "drained",
                            "shadow",
                            "unreachable",
                            "reachable"
                        }))
@interface OfKind {}
