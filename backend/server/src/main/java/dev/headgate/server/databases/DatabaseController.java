package dev.headgate.server.databases;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Scope;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/databases")
@Tag(name = "databases")
class DatabaseController {

    /** The header with a warning about a database that was stored nevertheless. */
    static final String WARNING = "Headgate-Warning";

    private static final Cursors<String> BY_NAME = Cursors.ofNames("databases");

    private final Databases databases;
    private final ManagedSets managed;

    DatabaseController(Databases databases, ManagedSets managed) {
        this.databases = databases;
        this.managed = managed;
    }

    /**
     * A page of databases, by name.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "DatabasesList")
    record DatabasesList(
            List<KeptDatabaseJson> items, @Nullable String nextCursor) {}

    /** @param q part of the name */
    @GetMapping
    DatabasesList listDatabases(
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String q,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<DatabaseJson> page = databases.page(q, BY_NAME.paging(limit, cursor));
        Map<Scope, String> owners = managed.owners(
                page.items().stream().map(one -> Scope.database(one.name())).toList());
        return new DatabasesList(
                page.items().stream()
                        .map(database -> new KeptDatabaseJson(database, owners.get(Scope.database(database.name()))))
                        .toList(),
                page.nextCursor());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @ApiResponse(
            responseCode = "201",
            useReturnTypeSchema = true,
            headers = {@Header(name = "Location"), @Header(name = WARNING)})
    @Refuses({ProblemType.CONFLICT, ProblemType.DATABASE_UNREACHABLE})
    ResponseEntity<KeptDatabaseJson> createDatabase(@Valid @RequestBody DatabaseCreateRequest request) {
        Databases.Kept kept = databases.create(request);
        return answer(
                ResponseEntity.created(
                        URI.create("/api/v1/databases/" + kept.database().name())),
                kept);
    }

    @GetMapping("/{database}")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    ResponseEntity<KeptDatabaseJson> readDatabase(@PathVariable String database) {
        Databases.Kept kept = databases.read(database);
        return answer(kept.version().answer(), kept);
    }

    @PatchMapping("/{database}")
    @ApiResponse(
            responseCode = "200",
            useReturnTypeSchema = true,
            headers = {@Header(name = "ETag"), @Header(name = WARNING)})
    @Refuses({ProblemType.CONFLICT, ProblemType.DATABASE_UNREACHABLE})
    ResponseEntity<KeptDatabaseJson> changeDatabase(
            @PathVariable String database,
            @Parameter(schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch,
            @Valid @RequestBody DatabasePatchRequest request) {
        Databases.Kept kept = databases.change(database, request, ifMatch);
        return answer(kept.version().answer(), kept);
    }

    @DeleteMapping("/{database}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Refuses(ProblemType.CONFLICT)
    void deleteDatabase(
            @PathVariable String database,
            @Parameter(schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch) {
        databases.remove(database, ifMatch);
    }

    private KeptDatabaseJson kept(DatabaseJson database) {
        return new KeptDatabaseJson(
                database, managed.owner(Scope.database(database.name())).orElse(null));
    }

    private ResponseEntity<KeptDatabaseJson> answer(ResponseEntity.BodyBuilder builder, Databases.Kept kept) {
        kept.warning().ifPresent(warning -> builder.header(WARNING, warning));
        return builder.body(kept(kept.database()));
    }
}
