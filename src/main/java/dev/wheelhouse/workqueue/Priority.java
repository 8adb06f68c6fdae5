package dev.wheelhouse.workqueue;

/** Which of two keys that are ready goes first. Waiting makes up for a low priority, so that nothing starves. */
public enum Priority {
    /** Something has just changed. */
    LIVE,
    /** It can wait a while, such as what an initial list or a resync brings. */
    BACKGROUND
}
