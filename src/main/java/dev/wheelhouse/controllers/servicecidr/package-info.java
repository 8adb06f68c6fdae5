/**
 * The controller of ServiceCIDRs, the ranges from which Services get their cluster IPs. A range that is the only one
 * with an address in use is not deleted. {@code RangeDecisions} decides.
 */
@NullMarked
package dev.wheelhouse.controllers.servicecidr;

import org.jspecify.annotations.NullMarked;
