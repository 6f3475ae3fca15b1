package dev.headgate.server.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The body that Neon's driver sends: one query, or several for one transaction. */
record NeonRequest(
        @Nullable String query,
        @Nullable List<Parameter> params,
        @Nullable Boolean arrayMode,
        @Nullable List<NeonRequest> queries) {}
