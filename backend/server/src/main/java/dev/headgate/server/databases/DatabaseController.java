package dev.headgate.server.databases;

import dev.headgate.server.api.DatabaseJson;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/databases")
@Tag(name = "databases")
class DatabaseController {

    /** Carries a warning about a database that was kept all the same. */
    static final String WARNING = "Headgate-Warning";

    private final Databases databases;

    DatabaseController(Databases databases) {
        this.databases = databases;
    }

    @Schema(name = "DatabasesList")
    record DatabasesList(List<DatabaseJson> items) {}

    @GetMapping
    DatabasesList listDatabases() {
        return new DatabasesList(databases.list());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<DatabaseJson> createDatabase(@Valid @RequestBody DatabaseCreateRequest request) {
        Databases.Kept kept = databases.create(request);
        return answer(
                ResponseEntity.created(
                        URI.create("/api/v1/databases/" + kept.database().name())),
                kept);
    }

    @GetMapping("/{database}")
    DatabaseJson readDatabase(@PathVariable String database) {
        return databases.get(database);
    }

    @PatchMapping("/{database}")
    ResponseEntity<DatabaseJson> changeDatabase(
            @PathVariable String database, @Valid @RequestBody DatabasePatchRequest request) {
        return answer(ResponseEntity.ok(), databases.change(database, request));
    }

    @DeleteMapping("/{database}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteDatabase(@PathVariable String database) {
        databases.remove(database);
    }

    private static ResponseEntity<DatabaseJson> answer(ResponseEntity.BodyBuilder builder, Databases.Kept kept) {
        kept.warning().ifPresent(warning -> builder.header(WARNING, warning));
        return builder.body(kept.database());
    }
}
