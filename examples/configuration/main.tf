terraform {
  required_version = ">= 1.4"
}

variable "name" {
  type    = string
  default = "world"
}

module "greeting" {
  source = "./modules/greeting"
  name   = var.name
}

output "greeting" {
  value = module.greeting.text
}
