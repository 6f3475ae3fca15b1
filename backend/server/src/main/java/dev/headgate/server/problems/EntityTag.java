package dev.headgate.server.problems;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entity tag, as ETag and If-Match carry it: a number in quotes. It is the revision of a policy set, or the transaction that wrote
 * a domain or a database last.
 */
public final class EntityTag {

    /** For the OpenAPI document. A transaction's number has at most ten digits, and no set comes to more revisions. */
    public static final String PATTERN = "^\"([0-9]{1,10})\"$";

    /** Any version, as If-None-Match names what must not be there at all. */
    public static final String ANY = "*";

    private static final Pattern TAG = Pattern.compile(PATTERN);

    private EntityTag() {}

    /** The tag of a number. */
    public static String of(String number) {
        return '"' + number + '"';
    }

    /**
     * The number in an If-Match.
     *
     * @param allowed what it can be, for the problem's sentence
     * @throws ProblemException malformed-request if it is no such tag
     */
    public static String number(String ifMatch, String allowed) {
        Matcher tag = TAG.matcher(ifMatch.strip());
        if (!tag.matches()) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST, "If-Match cannot be '" + ifMatch + "'; allowed is " + allowed + ".");
        }
        return tag.group(1);
    }

    /**
     * Whether a request must not find anything there.
     *
     * @param ifNoneMatch null if it has no such header
     * @throws ProblemException malformed-request if it names versions: whoever changes something says by If-Match which one it is
     */
    public static boolean isAny(@Nullable String ifNoneMatch) {
        if (ifNoneMatch != null && !ifNoneMatch.strip().equals(ANY)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "If-None-Match cannot be '" + ifNoneMatch + "'; allowed is " + ANY + ".");
        }
        return ifNoneMatch != null;
    }
}
