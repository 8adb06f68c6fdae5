/** The controllers of kube-controller-manager that Wheelhouse contains, as descriptors that a manager can run. */
@NullMarked
package dev.wheelhouse.builtin;

import org.jspecify.annotations.NullMarked;
