# Plans and applies through Gatehouse, offline: its only resources are built into terraform.
# The host name is a label: the CLI configuration says where its API is.
terraform {
  cloud {
    hostname     = "gatehouse.example"
    organization = "demo"
    workspaces {
      name = "network"
    }
  }
}

variable "owner" {
  type    = string
  default = ""
}

resource "terraform_data" "subnet" {
  for_each = toset(["front", "back"])
  input    = { name = each.key, owner = var.owner }
}

output "subnets" {
  value = sort(keys(terraform_data.subnet))
}
