package dev.headgate.lab.scaleup;

/**
 * A TPC-B transaction: a teller books an amount to an account, the till and the branch, and writes the history.
 *
 * @param home the site of the teller, the branch and the history, from 0
 * @param accountSite the site of the account
 * @param account of its site, from 1
 * @param teller of its site, from 1
 */
record Booking(int home, int accountSite, int account, int teller, int amount) {

    boolean isDistributed() {
        return home != accountSite;
    }
}
