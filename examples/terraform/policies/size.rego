# mandatory: a plan makes no more than five resources at once
package network.size

created := [change.address |
	some change in input.plan.resource_changes
	"create" in change.change.actions
]

deny contains message if {
	count(created) > 5
	message := sprintf("the plan makes %d resources at once, and five are allowed", [count(created)])
}
