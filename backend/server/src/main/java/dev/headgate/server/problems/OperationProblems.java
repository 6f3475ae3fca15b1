package dev.headgate.server.problems;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import jakarta.validation.Valid;
import java.io.InputStream;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.method.HandlerMethod;

/**
 * Lists every problem that an operation may answer with: those of all, those that follow from its parameters and body, and
 * those that it says itself ({@link Refuses}). {@code default} stands for a proxy on the way.
 */
@Component
final class OperationProblems implements GlobalOperationCustomizer {

    private static final Set<ProblemType> OF_ALL = EnumSet.of(
            ProblemType.MALFORMED_REQUEST, // an unknown query parameter is enough
            ProblemType.UNAUTHENTICATED,
            ProblemType.ORIGIN_REFUSED,
            ProblemType.NOT_ACCEPTABLE,
            ProblemType.TOO_MANY_REQUESTS,
            ProblemType.INTERNAL,
            ProblemType.UNAVAILABLE);

    private static final Set<String> PRECONDITIONS = Set.of(HttpHeaders.IF_MATCH, HttpHeaders.IF_NONE_MATCH);

    private static final Set<ProblemType> LATER = EnumSet.of(ProblemType.TOO_MANY_REQUESTS, ProblemType.UNAVAILABLE);

    @Override
    public Operation customize(Operation operation, HandlerMethod method) {
        TreeMap<Integer, List<ProblemType>> byStatus = of(method).stream()
                .collect(Collectors.groupingBy(ProblemType::status, TreeMap::new, Collectors.toList()));
        operation
                .getResponses()
                .keySet()
                .removeIf(status -> status.startsWith("4") || status.startsWith("5") || status.equals("default"));
        byStatus.forEach(
                (status, types) -> operation.getResponses().addApiResponse(String.valueOf(status), problem(types)));
        operation.getResponses().addApiResponse("default", response("Problem"));
        return operation;
    }

    private static Set<ProblemType> of(HandlerMethod method) {
        Set<ProblemType> problems = EnumSet.copyOf(OF_ALL);
        for (MethodParameter parameter : method.getMethodParameters()) {
            if (parameter.hasParameterAnnotation(PathVariable.class)) {
                problems.add(ProblemType.NOT_FOUND);
            }
            if (parameter.hasParameterAnnotation(RequestBody.class)
                    || parameter.getParameterType() == InputStream.class) {
                problems.add(ProblemType.PAYLOAD_TOO_LARGE);
                problems.add(ProblemType.UNSUPPORTED_MEDIA_TYPE);
            }
            if (parameter.hasParameterAnnotation(Valid.class)) {
                problems.add(ProblemType.INVALID_REQUEST);
            }
            @Nullable RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
            if (header != null && PRECONDITIONS.contains(header.name())) {
                problems.add(ProblemType.STALE_REVISION);
            }
        }
        @Nullable Refuses refuses = AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), Refuses.class);
        if (refuses != null) {
            problems.addAll(List.of(refuses.value()));
        }
        return problems;
    }

    private static ApiResponse problem(List<ProblemType> types) {
        ApiResponse response = response(types.stream()
                .sorted(Comparator.naturalOrder())
                .map(type -> type.segment() + ": " + type.title())
                .collect(Collectors.joining("; ")));
        if (types.stream().anyMatch(LATER::contains)) {
            response.addHeaderObject(HttpHeaders.RETRY_AFTER, new Header());
        }
        if (types.contains(ProblemType.UNAUTHENTICATED)) {
            response.addHeaderObject(HttpHeaders.WWW_AUTHENTICATE, new Header());
        }
        return response;
    }

    private static ApiResponse response(String description) {
        return new ApiResponse()
                .description(description)
                .content(new Content()
                        .addMediaType(
                                org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE,
                                new MediaType().schema(new Schema<>().$ref("#/components/schemas/Problem"))));
    }
}
