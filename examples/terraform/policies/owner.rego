# advisory: subnets should say who owns them
package network.owner

deny contains message if {
	some change in input.plan.resource_changes
	change.change.after.input.owner == ""
	message := sprintf("%s has no owner: try terraform apply -var owner=you", [change.address])
}
