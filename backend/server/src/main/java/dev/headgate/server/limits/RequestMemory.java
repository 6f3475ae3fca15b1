package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.server.access.Access;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * The memory of each request: its body, and what is read to answer it. It is released when the request has been answered,
 * whatever became of it, so nothing can be forgotten. Safe for any thread.
 */
@Component
public final class RequestMemory {

    /** The most bytes of an uploaded plugin, packed or unpacked. Some kilobytes are usual. */
    public static final int MOST_OF_A_PLUGIN = 16 << 20;

    private static final String ATTRIBUTE = RequestMemory.class.getName();
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final MemoryAccount account;
    private final Access access;

    RequestMemory(MemoryAccount account, Access access) {
        this.account = account;
        this.access = access;
    }

    /** Opens the share of a request. The caller must close it. */
    Share open(HttpServletRequest request) {
        Share share = account.share(Holders.HTTP, access.caller(request));
        request.setAttribute(ATTRIBUTE, share);
        return share;
    }

    /**
     * Reserves bytes for the request that this thread answers. Waits up to a second for them. Does nothing where no request is
     * answered.
     *
     * @param what continues a sentence after "holds", for the message
     * @throws ProblemException payload-too-large if it is more than a request may ever have; unavailable, with a Retry-After,
     *     if there is no room now
     */
    public void hold(long bytes, String what) {
        Share share = current();
        if (share != null) {
            hold(share, bytes, what);
        }
    }

    /**
     * Sees to it that this thread's request has so many bytes: reserves those that it has not. For what its body has become.
     *
     * @throws ProblemException as {@link #hold(long, String)}
     */
    public void holdInAll(long bytes, String what) {
        Share share = current();
        if (share != null && bytes > share.reserved()) {
            hold(share, bytes - share.reserved(), what);
        }
    }

    /**
     * Reserves bytes for something of this thread's caller that goes on after the request. Does not wait. The caller must close it.
     *
     * @throws ProblemException as {@link #hold(long, String)}
     */
    public Share open(long bytes, String what) {
        Share share = account.share(Holders.HTTP, access.caller());
        if (share.tryReserve(bytes)) {
            return share;
        }
        ProblemException refusal = refusal(share, bytes, what);
        share.close();
        throw refusal;
    }

    /**
     * Reserves memory for the entries of a page: for as many as there is room for, and for one at least.
     *
     * @param bytes of each entry, in order
     * @return how many have room
     * @throws ProblemException as {@link #hold(long, String)}, if there is no room for a single one
     */
    public int holdPage(List<Long> bytes, String what) {
        int fitting = 0;
        for (long each : bytes) {
            if (fitting == 0) {
                hold(each, what);
            } else if (!tryHold(each)) {
                break;
            }
            fitting++;
        }
        return fitting;
    }

    /** Reserves bytes for this thread's request if there is room now. Returns true if the thread answers no request. */
    public boolean tryHold(long bytes) {
        Share share = current();
        return share == null || share.tryReserve(bytes);
    }

    void hold(Share share, long bytes, String what) {
        if (!share.tryReserve(bytes, PATIENCE)) {
            throw refusal(share, bytes, what);
        }
    }

    private ProblemException refusal(Share share, long bytes, String what) {
        if (bytes > share.most() - share.reserved()) {
            return ProblemException.of(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "This request needs " + (share.reserved() + bytes) + " bytes of memory for " + what
                            + ". One request may have " + share.most()
                            + ", an eighth of headgate.limits.memory (" + account.most() + ").");
        }
        return ProblemException.retry(
                ProblemType.UNAVAILABLE,
                "There is no room for this request now: it needs " + bytes + " bytes of memory for " + what
                        + ", and others hold as much as they may (headgate.limits.memory is " + account.most()
                        + " bytes). Try again.",
                RETRY);
    }

    private static @Nullable Share current() {
        RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
        return attributes != null
                        && attributes.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) instanceof Share share
                ? share
                : null;
    }
}
