package dev.headgate.engine;

/**
 * Who holds a lease, waits for one, or was turned away.
 *
 * @param holder the label of its leases
 * @param user empty for code in this process
 * @param application its application_name; may be empty
 * @param address where it connects from, with its port; may be empty
 * @param transaction the short name of a transaction over several requests; empty if it is none
 */
public record Who(
        Requester.Kind kind, String holder, String user, String application, String address, String transaction) {

    /** Code in this process. */
    static Who inProcess(String holder) {
        return new Who(Requester.Kind.JDBC, holder, "", "", "", "");
    }

    static Who of(LeaseRequest request) {
        Requester by = request.by();
        return by == null
                ? inProcess(request.holder())
                : new Who(by.kind(), request.holder(), by.user(), by.application(), by.address(), by.transaction());
    }
}
