package dev.headgate.server.problems;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.transaction.TransactionException;
import org.springframework.validation.BindException;
import org.springframework.validation.FieldError;
import org.springframework.validation.method.ParameterValidationResult;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.springframework.web.util.DisconnectedClientHelper;
import tools.jackson.core.JacksonException;

/**
 * Turns every exception of a controller into a problem. An unexpected exception is logged here; the caller does not see its
 * details.
 */
@RestControllerAdvice
class ProblemHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemHandler.class);

    private static final Duration RETRY = Duration.ofSeconds(1);

    @ExceptionHandler
    ResponseEntity<ProblemJson> problem(ProblemException e, HttpServletRequest request) {
        return answer(e, request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> unreadable(HttpMessageNotReadableException e, HttpServletRequest request) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof ProblemException problem) { // reading the body found it
                return answer(problem, request);
            }
        }
        Fault fault = e.getCause() instanceof JacksonException jackson
                ? JsonFaults.of(jackson)
                : Fault.at("", "is missing or cannot be read", "a JSON object");
        return answer(
                ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        (fault.pointer().isEmpty() ? "The body" : fault.pointer()) + " " + fault.message(),
                        fault),
                request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> invalid(BindException e, HttpServletRequest request) {
        List<Fault> faults = e.getBindingResult().getFieldErrors().stream()
                .map(ProblemHandler::fault)
                .sorted(java.util.Comparator.comparing(Fault::pointer))
                .toList();
        return answer(ProblemException.of(ProblemType.INVALID_REQUEST, faults), request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> invalid(HandlerMethodValidationException e, HttpServletRequest request) {
        List<Fault> faults = e.getParameterValidationResults().stream()
                .flatMap(result -> result.getResolvableErrors().stream().map(error -> parameterFault(result, error)))
                .toList();
        return answer(
                faults.size() == 1
                        ? ProblemException.of(
                                ProblemType.MALFORMED_REQUEST, sentence(faults.getFirst()), faults.getFirst())
                        : ProblemException.of(ProblemType.MALFORMED_REQUEST, faults),
                request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> wrongType(MethodArgumentTypeMismatchException e, HttpServletRequest request) {
        Class<?> wanted = e.getRequiredType();
        return answer(
                ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "'" + e.getName() + "' cannot be '" + e.getValue() + "'; allowed is " + JsonFaults.shape(wanted)
                                + "."),
                request);
    }

    /** Parameters and headers are looked at when they are first asked for, by Tomcat and by Spring's firewall. */
    @ExceptionHandler({InvalidParameterException.class, RequestRejectedException.class})
    ResponseEntity<ProblemJson> unreadable(RuntimeException e, HttpServletRequest request) {
        return answer(
                ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "The query or a header cannot be read; allowed are percent-encoded UTF-8 and no control characters."),
                request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> missing(MissingServletRequestParameterException e, HttpServletRequest request) {
        return answer(
                ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "The query parameter '" + e.getParameterName() + "' is missing."),
                request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> wrongMethod(HttpRequestMethodNotSupportedException e, HttpServletRequest request) {
        String[] supported = e.getSupportedMethods();
        String allowed = supported == null ? "" : String.join(", ", supported);
        return ResponseEntity.status(ProblemType.METHOD_NOT_ALLOWED.status())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .header(HttpHeaders.ALLOW, allowed)
                .body(ProblemJson.of(
                        ProblemException.of(
                                ProblemType.METHOD_NOT_ALLOWED,
                                "This path does not support " + e.getMethod() + "; allowed: " + allowed + "."),
                        request.getRequestURI()));
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> wrongMediaType(HttpMediaTypeNotSupportedException e, HttpServletRequest request) {
        return answer(
                ProblemException.of(
                        ProblemType.UNSUPPORTED_MEDIA_TYPE,
                        "The content type of the body is " + e.getContentType() + "; allowed: "
                                + (e.getSupportedMediaTypes().isEmpty()
                                        ? MediaType.APPLICATION_JSON_VALUE
                                        : MediaType.toString(e.getSupportedMediaTypes()))
                                + "."),
                request);
    }

    @ExceptionHandler
    ResponseEntity<ProblemJson> noSuchPath(NoResourceFoundException e, HttpServletRequest request) {
        return answer(
                ProblemException.of(ProblemType.NOT_FOUND, "There is nothing at " + request.getRequestURI() + "."),
                request);
    }

    /**
     * The control store was asked for something. Where it cannot be reached, or has no room, that is no defect of ours: the
     * request may be made again.
     */
    @ExceptionHandler({DataAccessException.class, TransactionException.class})
    @Nullable
    ResponseEntity<ProblemJson> store(Exception e, HttpServletRequest request) {
        if (StoreFault.isOfAValue(e)) {
            return answer(
                    ProblemException.of(
                            ProblemType.MALFORMED_REQUEST,
                            "A value cannot be kept: it holds a NUL character or is out of range."),
                    request);
        }
        if (StoreFault.isOfAReference(e)) {
            return answer(
                    ProblemException.of(
                            ProblemType.CONFLICT,
                            "Something that refers to this, or that this refers to, was created or deleted at the same moment."
                                    + " Nothing was changed."),
                    request);
        }
        if (StoreFault.isOfARace(e)) {
            return answer(
                    ProblemException.retry(
                            ProblemType.UNAVAILABLE,
                            "Others changed the same at the same moment. Nothing was changed; try again.",
                            RETRY),
                    request);
        }
        Optional<String> reason = StoreFault.reason(e);
        if (reason.isEmpty()) {
            return other(e, request);
        }
        log.warn(
                "{} {} failed, the control store is not available: {}",
                request.getMethod(),
                request.getRequestURI(),
                reason.get());
        return answer(
                ProblemException.of(
                        ProblemType.UNAVAILABLE, "The control store is not available: " + reason.get() + "."),
                request);
    }

    /** Any other exception. Returns null, which sends nothing, if the client has closed the connection. */
    @ExceptionHandler
    @Nullable
    ResponseEntity<ProblemJson> other(Exception e, HttpServletRequest request) {
        if (DisconnectedClientHelper.isClientDisconnectedException(e)) {
            log.debug("{} {}: the client closed the connection", request.getMethod(), request.getRequestURI(), e);
            return null;
        }
        if (e instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
            ProblemType type = ProblemType.ofStatus(known.getStatusCode().value());
            String detail = known.getBody().getDetail();
            return answer(ProblemException.of(type, detail == null ? type.title() : detail), request);
        }
        log.error("{} {} failed", request.getMethod(), request.getRequestURI(), e);
        return answer(
                ProblemException.of(ProblemType.INTERNAL, "Headgate failed at this; its log says more."), request);
    }

    private static ResponseEntity<ProblemJson> answer(ProblemException e, HttpServletRequest request) {
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(e.type().status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
        Long retryAfter = e.retryAfterSeconds();
        if (retryAfter != null) {
            answer.header(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter));
        }
        return answer.body(ProblemJson.of(e, request.getRequestURI()));
    }

    private static Fault fault(FieldError error) {
        if (!error.contains(ConstraintViolation.class)) {
            return said("/" + error.getField(), error, error.getRejectedValue(), null);
        }
        ConstraintViolation<?> violation = error.unwrap(ConstraintViolation.class);
        return said(pointer(violation), error, violation.getInvalidValue(), Constraints.allowed(violation));
    }

    private static Fault said(String pointer, FieldError error, @Nullable Object value, @Nullable String allowed) {
        String message = String.valueOf(error.getDefaultMessage());
        return new Fault(
                pointer,
                value == null || JsonFaults.isOfPassword(pointer) ? message : message + ", was " + value,
                allowed);
    }

    /** Where in the body the value stands. A node names the entry of the list or map that it is in, before its own name. */
    private static String pointer(ConstraintViolation<?> violation) {
        String pointer = "";
        for (Path.Node node : violation.getPropertyPath()) {
            if (node.getIndex() != null) {
                pointer += "/" + node.getIndex();
            }
            if (node.getKey() != null) {
                pointer = Fault.pointer(pointer, String.valueOf(node.getKey()));
            }
            if (node.getKind() == ElementKind.PROPERTY) {
                pointer = Fault.pointer(pointer, node.getName());
            }
        }
        return pointer;
    }

    private static Fault parameterFault(ParameterValidationResult result, MessageSourceResolvable error) {
        String name = result.getMethodParameter().getParameterName();
        Object value = result.getArgument();
        ConstraintViolation<?> violation = result.unwrap(error, ConstraintViolation.class);
        return new Fault(
                "",
                "the parameter '" + name + "' " + error.getDefaultMessage() + (value == null ? "" : ", was " + value),
                Constraints.allowed(violation));
    }

    private static String sentence(Fault fault) {
        return Character.toUpperCase(fault.message().charAt(0))
                + fault.message().substring(1) + ".";
    }
}
