package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Version;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/session")
@Tag(name = "access")
class SessionController {

    private final Sessions sessions;
    private final LoginCodes codes;
    private final FailedLogins failedLogins;
    private final Access access;
    private final String node;

    SessionController(
            Sessions sessions,
            LoginCodes codes,
            FailedLogins failedLogins,
            Access access,
            HeadgateProperties properties) {
        this.sessions = sessions;
        this.codes = codes;
        this.failedLogins = failedLogins;
        this.access = access;
        this.node = properties.node();
    }

    /** The session of the caller, and the service that it belongs to. */
    @Schema(name = "Session")
    record SessionJson(String name, String role, String node, String version) {}

    @GetMapping
    SessionJson readSession() {
        return new SessionJson(access.actor().name(), access.actor().role(), node, Version.current());
    }

    /** @param code from an address that Headgate printed; not needed with the token */
    @Schema(name = "SessionCreate")
    record SessionCreateRequest(
            @Schema(description = "The code of an address that Headgate printed. It opens one session.") @Nullable
            String code) {}

    /** A login code for a browser's address. */
    @Schema(name = "LoginCode")
    record LoginCodeJson(String code, Instant expires) {}

    /**
     * Exchanges the token, or a code, for a cookie that scripts in the page cannot read. A code is spent by this.
     *
     * @throws ProblemException 401 if there is neither a valid token nor a valid code; 400 if the body is {@code null}
     */
    @PostMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @ApiResponse(responseCode = "204", headers = @Header(name = HttpHeaders.SET_COOKIE))
    @SecurityRequirements // a code replaces the token
    ResponseEntity<Void> openSession(
            @RequestBody(required = false) @Nullable SessionCreateRequest wanted, HttpServletRequest request) {
        if (wanted == null && hasBody(request)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "The body must be a JSON object, or be left out.",
                    Fault.at("", "is null", "a JSON object"));
        }
        Actor bearer = Actor.ADMIN;
        if (wanted != null && wanted.code() != null) {
            spend(wanted.code(), request);
        } else if (access.hasToken()) {
            bearer = access.actor();
        } else {
            throw ProblemException.of(
                    ProblemType.UNAUTHENTICATED,
                    "Send 'Authorization: Bearer TOKEN', or a code; './headgate login' prints an address with one.");
        }
        ResponseCookie cookie = cookie(sessions.open(bearer), request).build();
        return ResponseEntity.noContent()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .build();
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
    }

    private void spend(String code, HttpServletRequest request) {
        if (!codes.spend(code)) {
            throw failedLogins
                    .failed(String.valueOf(request.getRemoteAddr()), "code")
                    .orElseGet(() -> ProblemException.of(
                            ProblemType.UNAUTHENTICATED,
                            "The code was used before or is older than an hour. './headgate login' prints an address"
                                    + " with another.",
                            Fault.at("/code", "is not valid")));
        }
    }

    /** Issues a code that opens one browser session within an hour. */
    @PostMapping("/codes")
    @ResponseStatus(HttpStatus.CREATED)
    LoginCodeJson issueLoginCode() {
        LoginCodes.Issued made = codes.issue();
        return new LoginCodeJson(made.code(), made.ends());
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @ApiResponse(responseCode = "204", headers = @Header(name = HttpHeaders.SET_COOKIE))
    ResponseEntity<Void> endSession(HttpServletRequest request) {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof Credential credential
                && credential.session() != null) {
            sessions.close(credential.session());
        }
        ResponseCookie cookie = cookie("", request).maxAge(0).build();
        return ResponseEntity.noContent()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .build();
    }

    private static ResponseCookie.ResponseCookieBuilder cookie(String value, HttpServletRequest request) {
        return ResponseCookie.from(CredentialFilter.COOKIE, value)
                .httpOnly(true)
                .sameSite("Strict")
                .secure(request.isSecure())
                .path("/");
    }
}
