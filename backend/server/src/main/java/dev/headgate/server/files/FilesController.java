package dev.headgate.server.files;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.NotEmpty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** Answers in JSON, or as text if the caller would rather have {@code text/plain}, as {@code ./headgate} does. */
@RestController
@RequestMapping("/api/v1/files")
@Tag(name = "files")
class FilesController {

    /** The header with the number of changes, so that a script need not read the body. */
    static final String CHANGES = "Headgate-Changes";

    /** What a comparison or an export takes beside what is in force. The values of files are reserved as they are read. */
    private static final long WORK_BYTES = 256 << 10;

    private static final String YAML = "application/yaml";
    private static final String JSON = MediaType.APPLICATION_JSON_VALUE;
    private static final String NAME = "api";

    /** A policy file for the document. */
    private static final String EXAMPLE = """
            apiVersion: headgate/v1
            domains:
              - name: checkout
                database: main
                policySet:
                  policies:
                    - plugin: min-max
                      parameters: {min: 0, max: 6}
            """;

    private final Files files;
    private final Export export;
    private final LongRequests longRequests;
    private final Words words;

    FilesController(Files files, Export export, LongRequests longRequests, JsonMapper json) {
        this.longRequests = longRequests;
        this.files = files;
        this.export = export;
        this.words = new Words(json);
    }

    @Schema(name = "ReleasedList")
    record ReleasedList(List<Files.Released> items) {}

    @PostMapping(path = "/diff", consumes = YAML)
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content = @Content(mediaType = YAML, schema = @Schema(type = "string"), examples = @ExampleObject(EXAMPLE)))
    @ApiResponse(
            responseCode = "200",
            description = "What would change",
            headers = @Header(name = CHANGES),
            content = {
                @Content(mediaType = JSON, schema = @Schema(implementation = FilesAnswer.class)),
                @Content(mediaType = MediaType.TEXT_PLAIN_VALUE, schema = @Schema(type = "string"))
            })
    @Refuses({ProblemType.INVALID_FILES})
    ResponseEntity<?> diffFiles(
            @Parameter(
                            schema =
                                    @Schema(
                                            type = "string",
                                            pattern = "^" + Source.NAMES + "$",
                                            description = Source.ALLOWED))
                    @RequestParam(required = false)
                    @Nullable
                    String source,
            @Parameter(
                            schema =
                                    @Schema(
                                            type = "string",
                                            pattern = "^" + Terms.NAMES + "$",
                                            description = Terms.ALLOWED))
                    @RequestParam(required = false)
                    @Nullable
                    String name,
            @RequestParam(defaultValue = "false") boolean prune,
            @Parameter(hidden = true) @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable
                    String accept,
            InputStream body) {
        return answer(accept, () -> {
            Terms terms = terms(source, name, prune);
            List<SourceFile> read = read(body, terms.name());
            return longRequests.answer(
                    work(LongWork.Kind.DIFF, "files/" + terms.name()), progress -> files.diff(read, terms, progress));
        });
    }

    @PostMapping(path = "/apply", consumes = YAML)
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content = @Content(mediaType = YAML, schema = @Schema(type = "string"), examples = @ExampleObject(EXAMPLE)))
    @ApiResponse(
            responseCode = "200",
            description = "What was changed",
            headers = @Header(name = CHANGES),
            content = {
                @Content(mediaType = JSON, schema = @Schema(implementation = FilesAnswer.class)),
                @Content(mediaType = MediaType.TEXT_PLAIN_VALUE, schema = @Schema(type = "string"))
            })
    @Refuses({ProblemType.INVALID_FILES, ProblemType.STALE_DIFF, ProblemType.CONFLICT, ProblemType.DATABASE_UNREACHABLE
    })
    ResponseEntity<?> applyFiles(
            @Parameter(
                            schema =
                                    @Schema(
                                            type = "string",
                                            pattern = "^" + Source.NAMES + "$",
                                            description = Source.ALLOWED))
                    @RequestParam(required = false)
                    @Nullable
                    String source,
            @Parameter(
                            schema =
                                    @Schema(
                                            type = "string",
                                            pattern = "^" + Terms.NAMES + "$",
                                            description = Terms.ALLOWED))
                    @RequestParam(required = false)
                    @Nullable
                    String name,
            @RequestParam(defaultValue = "false") boolean prune,
            @RequestParam(required = false) @Nullable String diff,
            @Parameter(hidden = true) @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable
                    String accept,
            InputStream body) {
        return answer(accept, () -> {
            Terms terms = terms(source, name, prune);
            List<SourceFile> read = read(body, terms.name());
            return longRequests.answer(
                    work(LongWork.Kind.APPLY, "files/" + terms.name()),
                    progress -> files.apply(read, terms, diff, progress));
        });
    }

    @PostMapping("/release")
    @ApiResponse(
            responseCode = "200",
            description = "What belonged to files and is everyone's again",
            headers = @Header(name = CHANGES),
            content = {
                @Content(mediaType = JSON, schema = @Schema(implementation = ReleasedList.class)),
                @Content(mediaType = MediaType.TEXT_PLAIN_VALUE, schema = @Schema(type = "string"))
            })
    @Refuses({ProblemType.INVALID_FILES, ProblemType.NOT_FOUND})
    ResponseEntity<?> releaseFiles(
            @RequestParam @NotEmpty List<String> name,
            @Parameter(hidden = true) @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable
                    String accept) {
        return answer(accept, () -> files.release(name), ReleasedList::new, words::released, List::size);
    }

    @GetMapping(path = "/export")
    @ApiResponse(
            responseCode = "200",
            description = "A policy file",
            content = @Content(mediaType = YAML, schema = @Schema(type = "string")))
    @Refuses({ProblemType.NOT_FOUND, ProblemType.PAYLOAD_TOO_LARGE})
    ResponseEntity<String> exportFiles(
            @RequestParam(required = false) @Nullable String domain,
            @RequestParam(required = false) @Nullable String database) {
        if (domain != null && database != null) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "Give 'domain' or 'database', not both; or neither, for everything.");
        }
        Scope only = domain != null ? Scope.domain(domain) : database != null ? Scope.database(database) : null;
        String yaml = longRequests.answer(
                work(LongWork.Kind.EXPORT, only == null ? "" : only.path()),
                progress -> only == null ? export.everything(progress) : export.one(only));
        return ResponseEntity.ok()
                .contentType(new MediaType(MediaType.parseMediaType(YAML), StandardCharsets.UTF_8))
                .body(yaml);
    }

    private LongWork work(LongWork.Kind kind, String of) {
        return new LongWork(kind, of, WORK_BYTES + files.bytesInForce());
    }

    /** Files without a name are named by their source. */
    private static Terms terms(@Nullable String source, @Nullable String name, boolean prune) {
        String called = name != null ? name : source != null ? source : NAME;
        return new Terms(called, source, prune, Origin.API);
    }

    private ResponseEntity<?> answer(@Nullable String accept, Supplier<FilesAnswer> work) {
        return answer(
                accept,
                work,
                answer -> answer,
                words::answer,
                answer -> answer.changes().size());
    }

    private <T> ResponseEntity<?> answer(
            @Nullable String accept,
            Supplier<T> work,
            Function<T, Object> inJson,
            Function<T, String> inWords,
            Function<T, Integer> changes) {
        boolean wordsWanted = wantsWords(accept);
        try {
            T done = work.get();
            ResponseEntity.BodyBuilder answer =
                    ResponseEntity.ok().header(CHANGES, String.valueOf(changes.apply(done)));
            return wordsWanted
                    ? answer.contentType(plain()).body(inWords.apply(done))
                    : answer.contentType(MediaType.APPLICATION_JSON).body(inJson.apply(done));
        } catch (ProblemException e) {
            if (!wordsWanted) {
                throw e;
            }
            ResponseEntity.BodyBuilder answer =
                    ResponseEntity.status(e.type().status()).contentType(plain());
            Long retryAfter = e.retryAfterSeconds();
            return (retryAfter == null ? answer : answer.header(HttpHeaders.RETRY_AFTER, retryAfter.toString()))
                    .body(words.problem(e));
        }
    }

    /** Whether a caller would rather have text than JSON. Whoever accepts what is no media type gets JSON. */
    private static boolean wantsWords(@Nullable String accept) {
        try {
            List<MediaType> taken = MediaType.parseMediaTypes(accept);
            return quality(taken, MediaType.TEXT_PLAIN) > quality(taken, MediaType.APPLICATION_JSON);
        } catch (InvalidMediaTypeException e) {
            return false;
        }
    }

    /** How much a type is wanted: as the most specific range says that includes it (RFC 9110, section 12.5.1). 0 if none does. */
    private static double quality(List<MediaType> taken, MediaType offered) {
        return taken.stream()
                .filter(each -> each.includes(offered))
                .min(Comparator.comparing(MediaType::isWildcardType).thenComparing(MediaType::isWildcardSubtype))
                .map(MediaType::getQualityValue)
                .orElse(0.0);
    }

    private static MediaType plain() {
        return new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);
    }

    private static List<SourceFile> read(InputStream body, String source) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body.readAllBytes())) // headgate.limits.body bounds it
                    .toString();
            return SourceFile.in(text, source);
        } catch (CharacterCodingException e) {
            throw ProblemException.of(ProblemType.MALFORMED_REQUEST, "The files are not UTF-8.");
        } catch (IOException e) {
            throw ProblemException.of(ProblemType.MALFORMED_REQUEST, "The body cannot be read.");
        }
    }
}
